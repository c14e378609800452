/*
 * llvm_int.h - LLVM's C API, loaded when it is first needed instead of at every start.
 *
 * Linking libLLVM costs each process 16 ms, whether it compiles or only runs what was compiled. So
 * nothing links it: llvm.c defines every function of the table as a jump through a pointer, and
 * native_llvm_load fills the pointers from the shared library. A function that is missing here
 * is an undefined symbol at link time: add its name.
 */
#ifndef NATIVE_LLVM_INT_H
#define NATIVE_LLVM_INT_H

#include "base/err.h"

/* Load the library and resolve every function, once per process; later calls only look. Before
 * any LLVM function is called; not from two threads at once. ERR_UNAVAILABLE: there is no LLVM 19
 * on this machine, or it lacks a function (named). */
MUST_CHECK int native_llvm_load(struct err *err);

#if defined(__x86_64__)
#define NATIVE_LLVM_TARGET(F)                                                                      \
	F(LLVMInitializeX86AsmPrinter)                                                             \
	F(LLVMInitializeX86Target)                                                                 \
	F(LLVMInitializeX86TargetInfo)                                                             \
	F(LLVMInitializeX86TargetMC)
#elif defined(__aarch64__)
#define NATIVE_LLVM_TARGET(F)                                                                      \
	F(LLVMInitializeAArch64AsmPrinter)                                                         \
	F(LLVMInitializeAArch64Target)                                                             \
	F(LLVMInitializeAArch64TargetInfo)                                                         \
	F(LLVMInitializeAArch64TargetMC)
#else
#define NATIVE_LLVM_TARGET(F)
#endif

#define NATIVE_LLVM_FUNCTIONS(F)                                                                   \
	NATIVE_LLVM_TARGET(F)                                                                      \
	F(LLVMAddAttributeAtIndex)                                                                 \
	F(LLVMAddCase)                                                                             \
	F(LLVMAddFunction)                                                                         \
	F(LLVMAddIncoming)                                                                         \
	F(LLVMAppendBasicBlockInContext)                                                           \
	F(LLVMArrayType2)                                                                          \
	F(LLVMBuildAShr)                                                                           \
	F(LLVMBuildAdd)                                                                            \
	F(LLVMBuildAlloca)                                                                         \
	F(LLVMBuildAnd)                                                                            \
	F(LLVMBuildAtomicCmpXchg)                                                                  \
	F(LLVMBuildAtomicRMW)                                                                      \
	F(LLVMBuildBitCast)                                                                        \
	F(LLVMBuildBr)                                                                             \
	F(LLVMBuildCall2)                                                                          \
	F(LLVMBuildCondBr)                                                                         \
	F(LLVMBuildExtractElement)                                                                 \
	F(LLVMBuildExtractValue)                                                                   \
	F(LLVMBuildFAdd)                                                                           \
	F(LLVMBuildFCmp)                                                                           \
	F(LLVMBuildFDiv)                                                                           \
	F(LLVMBuildFMul)                                                                           \
	F(LLVMBuildFNeg)                                                                           \
	F(LLVMBuildFPExt)                                                                          \
	F(LLVMBuildFPToSI)                                                                         \
	F(LLVMBuildFPToUI)                                                                         \
	F(LLVMBuildFPTrunc)                                                                        \
	F(LLVMBuildFSub)                                                                           \
	F(LLVMBuildGEP2)                                                                           \
	F(LLVMBuildICmp)                                                                           \
	F(LLVMBuildInsertElement)                                                                  \
	F(LLVMBuildIntCast2)                                                                       \
	F(LLVMBuildLShr)                                                                           \
	F(LLVMBuildLoad2)                                                                          \
	F(LLVMBuildMemSet)                                                                         \
	F(LLVMBuildMul)                                                                            \
	F(LLVMBuildNeg)                                                                            \
	F(LLVMBuildNot)                                                                            \
	F(LLVMBuildOr)                                                                             \
	F(LLVMBuildPhi)                                                                            \
	F(LLVMBuildRet)                                                                            \
	F(LLVMBuildSDiv)                                                                           \
	F(LLVMBuildSExt)                                                                           \
	F(LLVMBuildSIToFP)                                                                         \
	F(LLVMBuildSRem)                                                                           \
	F(LLVMBuildSelect)                                                                         \
	F(LLVMBuildShl)                                                                            \
	F(LLVMBuildShuffleVector)                                                                  \
	F(LLVMBuildStore)                                                                          \
	F(LLVMBuildSub)                                                                            \
	F(LLVMBuildSwitch)                                                                         \
	F(LLVMBuildTrunc)                                                                          \
	F(LLVMBuildUDiv)                                                                           \
	F(LLVMBuildUIToFP)                                                                         \
	F(LLVMBuildURem)                                                                           \
	F(LLVMBuildXor)                                                                            \
	F(LLVMBuildZExt)                                                                           \
	F(LLVMConstAllOnes)                                                                        \
	F(LLVMConstBitCast)                                                                        \
	F(LLVMConstInt)                                                                            \
	F(LLVMConstIntGetZExtValue)                                                                \
	F(LLVMConstNull)                                                                           \
	F(LLVMConstReal)                                                                           \
	F(LLVMConstVector)                                                                         \
	F(LLVMContextCreate)                                                                       \
	F(LLVMContextDispose)                                                                      \
	F(LLVMCopyStringRepOfTargetData)                                                           \
	F(LLVMCreateBuilderInContext)                                                              \
	F(LLVMCreateEnumAttribute)                                                                 \
	F(LLVMCreateMessage)                                                                       \
	F(LLVMCreatePassBuilderOptions)                                                            \
	F(LLVMCreateStringAttribute)                                                               \
	F(LLVMCreateTargetDataLayout)                                                              \
	F(LLVMCreateTargetMachine)                                                                 \
	F(LLVMDisposeBuilder)                                                                      \
	F(LLVMDisposeErrorMessage)                                                                 \
	F(LLVMDisposeMemoryBuffer)                                                                 \
	F(LLVMDisposeMessage)                                                                      \
	F(LLVMDisposeModule)                                                                       \
	F(LLVMDisposePassBuilderOptions)                                                           \
	F(LLVMDisposeTargetData)                                                                   \
	F(LLVMDisposeTargetMachine)                                                                \
	F(LLVMDoubleTypeInContext)                                                                 \
	F(LLVMFloatTypeInContext)                                                                  \
	F(LLVMFunctionType)                                                                        \
	F(LLVMGetAggregateElement)                                                                 \
	F(LLVMGetBufferSize)                                                                       \
	F(LLVMGetBufferStart)                                                                      \
	F(LLVMGetDefaultTargetTriple)                                                              \
	F(LLVMGetElementType)                                                                      \
	F(LLVMGetEnumAttributeKindForName)                                                         \
	F(LLVMGetErrorMessage)                                                                     \
	F(LLVMGetHostCPUFeatures)                                                                  \
	F(LLVMGetHostCPUName)                                                                      \
	F(LLVMGetInsertBlock)                                                                      \
	F(LLVMGetInstructionOpcode)                                                                \
	F(LLVMGetIntTypeWidth)                                                                     \
	F(LLVMGetIntrinsicDeclaration)                                                             \
	F(LLVMGetMDKindIDInContext)                                                                \
	F(LLVMGetNamedFunction)                                                                    \
	F(LLVMGetParam)                                                                            \
	F(LLVMGetPoison)                                                                           \
	F(LLVMGetTargetFromTriple)                                                                 \
	F(LLVMGetTypeKind)                                                                         \
	F(LLVMGetVectorSize)                                                                       \
	F(LLVMInt1TypeInContext)                                                                   \
	F(LLVMInt32TypeInContext)                                                                  \
	F(LLVMInt64TypeInContext)                                                                  \
	F(LLVMInt8TypeInContext)                                                                   \
	F(LLVMIntTypeInContext)                                                                    \
	F(LLVMIntrinsicGetType)                                                                    \
	F(LLVMIsAAllocaInst)                                                                       \
	F(LLVMIsAConstantInt)                                                                      \
	F(LLVMIsConstant)                                                                          \
	F(LLVMIsNull)                                                                              \
	F(LLVMLookupIntrinsicID)                                                                   \
	F(LLVMMDNodeInContext2)                                                                    \
	F(LLVMMetadataAsValue)                                                                     \
	F(LLVMModuleCreateWithNameInContext)                                                       \
	F(LLVMPointerTypeInContext)                                                                \
	F(LLVMPositionBuilderAtEnd)                                                                \
	F(LLVMPrintModuleToString)                                                                 \
	F(LLVMRunPasses)                                                                           \
	F(LLVMSetAlignment)                                                                        \
	F(LLVMSetDataLayout)                                                                       \
	F(LLVMSetMetadata)                                                                         \
	F(LLVMSetOrdering)                                                                         \
	F(LLVMSetTarget)                                                                           \
	F(LLVMTargetMachineEmitToMemoryBuffer)                                                     \
	F(LLVMTypeOf)                                                                              \
	F(LLVMVectorType)                                                                          \
	F(LLVMVerifyModule)

#endif
