/*
 * kube.h - the Kubernetes client: what it consists of and how the parts go together.
 *
 *   object.h     names of resources; key, uid, version of an object; order of versions
 *   config.h     kubeconfig files, in-cluster credentials
 *   client.h     get, list, create, update, patch, apply, delete; answers on the loop
 *   status.h     the server's refusals as struct err
 *   store.h      the newest known objects of one kind, frozen; read your writes
 *   watch.h      list and watch as a state machine (no I/O), reflector.h drives it over HTTP
 *   queue.h      keys that need work: each once, back-off, two priorities
 *   event.h      events that kubectl describe shows
 *   lease.h      leader election
 *
 * A controller with two reflectors and one queue:
 *
 *     struct controller {
 *             struct kube_store *jobs, *pods;
 *             struct kube_reflector *watch_jobs, *watch_pods;
 *             struct kube_queue *queue;
 *             struct timer *work;
 *     };
 *
 *     static void on_job(void *arg, const struct kube_change *change)
 *     {
 *             struct controller *c = arg;
 *
 *             kube_queue_add(c->queue, change->key,
 *                            change->from_list ? KUBE_QUEUE_IDLE : KUBE_QUEUE_LIVE);
 *             timer_start(c->work, 0);
 *     }
 *
 *     static void on_work(void *arg)              decide and act on one key at a time
 *     {
 *             struct controller *c = arg;
 *             const char *key = kube_queue_take(c->queue, loop_now_ms(loop));
 *
 *             if (key != NULL) ... decide from kube_store_get(c->jobs, key) and
 *                     KUBE_STORE_EACH_IN(c->pods, uid, e); start calls; in their on_done:
 *                     kube_store_put the answer, kube_queue_forget or _add_failed,
 *                     kube_queue_done, then look for the next key.
 *             if (kube_queue_due_ms(c->queue) != INT64_MAX)
 *                     timer_start_at(c->work, kube_queue_due_ms(c->queue));
 *     }
 *
 *     c->jobs = kube_store_new(&(struct kube_store_spec){ .on_change = on_job, .arg = c });
 *     c->pods = kube_store_new(&(struct kube_store_spec){ .on_change = on_pod, .arg = c,
 *                                                         .index = kube_controller_uid });
 *     kube_reflector_start(&(struct kube_reflector_spec){ .client = client,
 *             .resource = &kube_warpjobs, .store = c->jobs }, &c->watch_jobs, err);
 *     kube_reflector_start(&(struct kube_reflector_spec){ .client = client,
 *             .resource = &kube_pods, .watch = { .label_selector = "kwarp.dev/job" },
 *             .store = c->pods }, &c->watch_pods, err);
 *
 * Act only when both stores are synced: before that, absence means nothing. Free in the opposite
 * order: calls, reflectors, stores, client, http, loop. Everything runs on the loop thread.
 */
#ifndef KUBE_KUBE_H
#define KUBE_KUBE_H

#include "kube/client.h"
#include "kube/config.h"
#include "kube/event.h"
#include "kube/lease.h"
#include "kube/object.h"
#include "kube/queue.h"
#include "kube/reflector.h"
#include "kube/status.h"
#include "kube/store.h"
#include "kube/watch.h"

#endif
