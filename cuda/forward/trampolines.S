/*
 * One trampoline for each driver function: it jumps to the address in grove_driver_table, and lets
 * grove_driver_resolve find that address at the first call. All registers that carry arguments, integer and
 * floating-point, are as the caller left them when the driver's function begins.
 */
#if defined(__x86_64__)

.macro TRAMPOLINE index, name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	endbr64
	movq grove_driver_table+8*\index(%rip), %r11
	testq %r11, %r11
	je 1f
	jmp *%r11
1:	movl $\index, %r11d
	jmp resolve
	.size \name, .-\name
.endm

	.text
	.type resolve, @function
resolve:
	pushq %rbp
	movq %rsp, %rbp
	andq $-16, %rsp
	subq $192, %rsp
	movq %rdi, 0(%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 48(%rsp)
	movaps %xmm0, 64(%rsp)
	movaps %xmm1, 80(%rsp)
	movaps %xmm2, 96(%rsp)
	movaps %xmm3, 112(%rsp)
	movaps %xmm4, 128(%rsp)
	movaps %xmm5, 144(%rsp)
	movaps %xmm6, 160(%rsp)
	movaps %xmm7, 176(%rsp)
	movl %r11d, %edi
	call grove_driver_resolve
	movq %rax, %r11
	movq 0(%rsp), %rdi
	movq 8(%rsp), %rsi
	movq 16(%rsp), %rdx
	movq 24(%rsp), %rcx
	movq 32(%rsp), %r8
	movq 40(%rsp), %r9
	movq 48(%rsp), %rax
	movaps 64(%rsp), %xmm0
	movaps 80(%rsp), %xmm1
	movaps 96(%rsp), %xmm2
	movaps 112(%rsp), %xmm3
	movaps 128(%rsp), %xmm4
	movaps 144(%rsp), %xmm5
	movaps 160(%rsp), %xmm6
	movaps 176(%rsp), %xmm7
	leave
	jmp *%r11
	.size resolve, .-resolve

#elif defined(__aarch64__)

.macro TRAMPOLINE index, name
	.globl \name
	.type \name, %function
	.p2align 4
\name:
	adrp x16, grove_driver_table
	add x16, x16, :lo12:grove_driver_table
	ldr x16, [x16, #8*\index]
	cbz x16, 1f
	br x16
1:	mov w16, #\index
	b resolve
	.size \name, .-\name
.endm

	.text
	.type resolve, %function
resolve:
	stp x29, x30, [sp, #-224]!
	mov x29, sp
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	stp q0, q1, [sp, #96]
	stp q2, q3, [sp, #128]
	stp q4, q5, [sp, #160]
	stp q6, q7, [sp, #192]
	mov w0, w16
	bl grove_driver_resolve
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp q0, q1, [sp, #96]
	ldp q2, q3, [sp, #128]
	ldp q4, q5, [sp, #160]
	ldp q6, q7, [sp, #192]
	ldp x29, x30, [sp], #224
	br x16
	.size resolve, .-resolve

#else
#error "the forwarding layer knows amd64 and arm64"
#endif

#define SYMBOL(index, name) TRAMPOLINE index, name
#include "symbols.inc"

	.section .note.GNU-stack, "", %progbits
