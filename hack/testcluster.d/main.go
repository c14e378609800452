// Testcluster is the real Kubernetes control plane and its tools in one program: the upstream
// commands, chosen by the name that it is called with (a symbolic link) or by its first argument.
// One program instead of seven links in a quarter of the time and of the space, since the packages
// that the commands share are compiled and stored once.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	helmcmd "helm.sh/helm/v4/pkg/cmd"
	helmkube "helm.sh/helm/v4/pkg/kube"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokcfg "sigs.k8s.io/kwok/pkg/config"
	kwokcmd "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	kwoksig "sigs.k8s.io/kwok/pkg/utils/signals"
)

var commands = map[string]func() int{
	"etcd":                    runEtcd,
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(kcm.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl":                 runKubectl,
	"kwok":                    runKwok,
	"helm":                    runHelm,
}

// resetFlags drops what the servers' packages put into the process-wide flag set: cobra hands those
// flags to every root command, and their tri-state --version clashes with the tools' own.
func resetFlags() {
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ExitOnError)
}

func runEtcd() int {
	etcdmain.Main(os.Args)
	return 0
}

func runKubectl() int {
	resetFlags()
	if _, err := logs.GlogSetter(kubectlcmd.GetLogVerbosity(os.Args)); err != nil {
		fmt.Fprintln(os.Stderr, "kubectl:", err)
		return 1
	}
	if err := cli.RunNoErrOutput(kubectlcmd.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err) // prints and exits as kubectl does
	}
	return 0
}

func runKwok() int {
	resetFlags()
	fs := pflag.NewFlagSet("global", pflag.ContinueOnError)
	fs.ParseErrorsAllowlist.UnknownFlags = true
	fs.Usage = func() {}
	ctx := kwoksig.SetupSignalContext()
	ctx, _ = kwoklog.InitFlags(ctx, fs)
	ctx, err := kwokcfg.InitFlags(ctx, fs)
	if err == nil {
		c := kwokcmd.NewCommand(ctx)
		c.PersistentFlags().AddFlagSet(fs)
		err = c.ExecuteContext(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kwok:", err)
		return 1
	}
	return 0
}

func runHelm() int {
	resetFlags()
	helmkube.ManagedFieldsManager = "helm"
	c, err := helmcmd.NewRootCmd(os.Stdout, os.Args[1:], helmcmd.SetupLogging)
	if err == nil {
		err = c.Execute()
	}
	if err == nil {
		return 0
	}
	var ce helmcmd.CommandError
	if errors.As(err, &ce) {
		return ce.ExitCode
	}
	return 1
}

func main() {
	name := filepath.Base(os.Args[0])
	run := commands[name]
	if run == nil && len(os.Args) > 1 {
		name = os.Args[1]
		if run = commands[name]; run != nil {
			os.Args = append([]string{name}, os.Args[2:]...)
		}
	}
	if run == nil {
		fmt.Fprintln(os.Stderr, "usage: testcluster etcd|kube-apiserver|kube-controller-manager|"+
			"kube-scheduler|kubectl|kwok|helm ARGS, or through a link of that name")
		os.Exit(2)
	}
	os.Exit(run())
}
