/* schema_crd.c - crds/warpjobs.yaml as bytes of the program. */
#include "cli/schema_int.h"

/* From the folder that the compiler runs in, the root of the repository. */
__asm__(".pushsection .rodata\n"
	".globl schema_crd\n"
	"schema_crd: .incbin \"crds/warpjobs.yaml\"\n"
	"schema_crd_end: .byte 0\n"
	".balign 8\n"
	".globl schema_crd_size\n"
	"schema_crd_size: .quad schema_crd_end - schema_crd\n"
	".popsection\n");
