/*
 * load.c - a small loader for the relocatable ELF files that our compiler makes; see native.h.
 *
 * Trusts nothing it reads: every offset is checked before use. What the code may call is in
 * the table at the end. Sections that occupy memory are laid out code first, then data; calls
 * out go through stubs behind them, because libm may be further away than 2 GiB.
 */
#include "native/object_int.h"

#include <elf.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	MAX_SECTIONS = 256,
	MAX_IMAGE = 64 * 1024 * 1024,
	STUB = 16, /* bytes of a jump to an outside function */
};

struct link {
	const uint8_t *elf;
	size_t len;
	const Elf64_Shdr *sections; /* may be misaligned: read by section() only */
	uint32_t n_sections;
	Elf64_Shdr symtab, strtab;
	uint64_t place[MAX_SECTIONS]; /* 1 + offset in the image; 0: not loaded */
	size_t code_len;              /* bytes that become executable, in whole pages */
	size_t data_len;
	size_t stubs; /* offset of the stubs */
	uint32_t n_stubs, max_stubs;
	uint8_t *base;
	struct err *err;
};

static int bad(struct link *l, const char *what)
{
	if (l->err->code == 0)
		(void)err_set(l->err, ERR_INVALID, "native: object file: %s", what);
	return l->err->code;
}

static bool in_file(const struct link *l, uint64_t offset, uint64_t size)
{
	return offset <= l->len && size <= l->len - offset;
}

static Elf64_Shdr section(const struct link *l, uint32_t n)
{
	Elf64_Shdr s;

	memcpy(&s, (const uint8_t *)l->sections + n * sizeof(s), sizeof(s));
	return s;
}

MUST_CHECK static int read_header(struct link *l)
{
	Elf64_Ehdr h;

	if (l->len < sizeof(h))
		return bad(l, "too short");
	memcpy(&h, l->elf, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL)
		return bad(l, "not a relocatable ELF file");
	if (h.e_machine != EM_X86_64)
		return bad(l, "only x86-64 can be loaded so far");
	if (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shnum > MAX_SECTIONS ||
	    !in_file(l, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
		return bad(l, "bad section table");
	l->sections = (const Elf64_Shdr *)(const void *)(l->elf + h.e_shoff);
	l->n_sections = h.e_shnum;
	return 0;
}

static size_t round_up(size_t v, size_t to)
{
	return (v + to - 1) / to * to;
}

/* Lay out sections that are executable, or those that are not, from offset *at. */
MUST_CHECK static int lay_out(struct link *l, bool executable, size_t *at)
{
	for (uint32_t n = 0; n < l->n_sections; n++) {
		Elf64_Shdr s = section(l, n);
		size_t align = s.sh_addralign < 1 ? 1 : s.sh_addralign;

		if (s.sh_type == SHT_SYMTAB)
			l->symtab = s;
		if (s.sh_type != SHT_NOBITS && !in_file(l, s.sh_offset, s.sh_size))
			return bad(l, "section outside of the file");
		if ((s.sh_flags & SHF_ALLOC) == 0 ||
		    ((s.sh_flags & SHF_EXECINSTR) != 0) != executable)
			continue;
		if ((s.sh_flags & SHF_WRITE) != 0 && s.sh_size > 0)
			return bad(l, "writable data");
		if (align > 4096 || s.sh_size > MAX_IMAGE || *at > MAX_IMAGE)
			return bad(l, "too large");
		*at = round_up(*at, align);
		l->place[n] = 1 + *at;
		*at += s.sh_size;
	}
	return 0;
}

static void copy_sections(struct link *l)
{
	for (uint32_t n = 0; n < l->n_sections; n++) {
		Elf64_Shdr s = section(l, n);

		if (l->place[n] != 0 && s.sh_type != SHT_NOBITS)
			memcpy(l->base + l->place[n] - 1, l->elf + s.sh_offset, s.sh_size);
	}
}

MUST_CHECK static int find_strings(struct link *l)
{
	if (l->symtab.sh_size == 0 || l->symtab.sh_link >= l->n_sections)
		return bad(l, "no symbols");
	l->strtab = section(l, l->symtab.sh_link);
	if (l->strtab.sh_type != SHT_STRTAB || l->strtab.sh_size == 0 ||
	    l->elf[l->strtab.sh_offset + l->strtab.sh_size - 1] != '\0')
		return bad(l, "bad string table");
	return 0;
}

MUST_CHECK static int read_symbol(struct link *l, uint64_t n, Elf64_Sym *ret, const char **name)
{
	if (n >= l->symtab.sh_size / sizeof(*ret))
		return bad(l, "bad symbol number");
	memcpy(ret, l->elf + l->symtab.sh_offset + n * sizeof(*ret), sizeof(*ret));
	if (ret->st_name >= l->strtab.sh_size)
		return bad(l, "bad symbol name");
	*name = (const char *)(l->elf + l->strtab.sh_offset + ret->st_name);
	return 0;
}

/* jmp *[rip + 0]; the address behind it. */
MUST_CHECK static int make_stub(struct link *l, const void *to, uint64_t *ret)
{
	static const uint8_t jump[8] = { 0xff, 0x25, 0x02, 0, 0, 0, 0x0f, 0x0b };
	uint8_t *at = l->base + l->stubs + (size_t)l->n_stubs * STUB;

	for (uint32_t n = 0; n < l->n_stubs; n++)
		if (memcmp(l->base + l->stubs + (size_t)n * STUB + 8, &to, sizeof(to)) == 0) {
			*ret = l->stubs + (size_t)n * STUB;
			return 0;
		}
	if (l->n_stubs >= l->max_stubs)
		return bad(l, "too many outside functions");
	memcpy(at, jump, sizeof(jump));
	memcpy(at + 8, &to, sizeof(to));
	*ret = l->stubs + (size_t)l->n_stubs++ * STUB;
	return 0;
}

/* Offset in the image of what a relocation refers to. */
MUST_CHECK static int resolve(struct link *l, uint64_t n, uint64_t *ret)
{
	Elf64_Sym s;
	const char *name = "";

	if (read_symbol(l, n, &s, &name) < 0)
		return l->err->code;
	if (s.st_shndx == SHN_UNDEF) {
		const void *outside = native_symbol(name);

		if (outside == NULL)
			return err_set(l->err, ERR_INVALID,
				       "native: object file: may not call %.64s", name);
		return make_stub(l, outside, ret);
	}
	if (s.st_shndx >= l->n_sections || l->place[s.st_shndx] == 0 ||
	    s.st_value > section(l, s.st_shndx).sh_size)
		return bad(l, "a symbol outside of its section");
	*ret = l->place[s.st_shndx] - 1 + s.st_value;
	return 0;
}

MUST_CHECK static int relocate(struct link *l, const Elf64_Rela *r, size_t at, size_t room)
{
	uint64_t to = 0;
	int64_t value;
	int32_t half;

	if (resolve(l, ELF64_R_SYM(r->r_info), &to) < 0)
		return l->err->code;
	if (r->r_addend > MAX_IMAGE || r->r_addend < -MAX_IMAGE)
		return bad(l, "relocation too far");
	value = (int64_t)to + r->r_addend;
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		half = (int32_t)(value - (int64_t)at);
		if (room < sizeof(half))
			return bad(l, "relocation outside of its section");
		memcpy(l->base + at, &half, sizeof(half));
		return 0;
	case R_X86_64_64:
		value += (int64_t)(uintptr_t)l->base;
		if (room < sizeof(value))
			return bad(l, "relocation outside of its section");
		memcpy(l->base + at, &value, sizeof(value));
		return 0;
	default:
		return bad(l, "unknown relocation");
	}
}

MUST_CHECK static int relocate_section(struct link *l, const Elf64_Shdr *rela)
{
	Elf64_Shdr into;
	Elf64_Rela r;

	if (rela->sh_info >= l->n_sections)
		return bad(l, "relocations for nothing");
	if (l->place[rela->sh_info] == 0)
		return 0;
	into = section(l, rela->sh_info);
	for (uint64_t n = 0; n < rela->sh_size / sizeof(r); n++) {
		memcpy(&r, l->elf + rela->sh_offset + n * sizeof(r), sizeof(r));
		if (r.r_offset >= into.sh_size)
			return bad(l, "relocation outside of its section");
		if (relocate(l, &r, l->place[rela->sh_info] - 1 + r.r_offset,
			     into.sh_size - r.r_offset) < 0)
			return l->err->code;
	}
	return 0;
}

MUST_CHECK static int relocate_all(struct link *l)
{
	for (uint32_t n = 0; n < l->n_sections; n++) {
		Elf64_Shdr s = section(l, n);

		if (s.sh_type == SHT_REL)
			return bad(l, "relocations without addends");
		if (s.sh_type == SHT_RELA && relocate_section(l, &s) < 0)
			return l->err->code;
	}
	return 0;
}

MUST_CHECK static int find_entry(struct link *l, uint64_t *ret)
{
	const char *name = "";
	Elf64_Sym s;

	for (uint64_t n = 0; n < l->symtab.sh_size / sizeof(s); n++) {
		if (read_symbol(l, n, &s, &name) < 0)
			return l->err->code;
		if (strcmp(name, NATIVE_ENTRY) != 0 || ELF64_ST_TYPE(s.st_info) != STT_FUNC)
			continue;
		if (s.st_shndx >= l->n_sections || l->place[s.st_shndx] == 0 ||
		    (section(l, s.st_shndx).sh_flags & SHF_EXECINSTR) == 0)
			break;
		return resolve(l, n, ret);
	}
	return bad(l, "no entry point");
}

MUST_CHECK static int map_image(struct link *l)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t at = 0;
	void *p;

	if (lay_out(l, true, &at) < 0 || find_strings(l) < 0)
		return l->err->code;
	l->stubs = round_up(at, STUB);
	l->max_stubs = 64;
	l->code_len = round_up(l->stubs + (size_t)l->max_stubs * STUB, page);
	at = l->code_len;
	if (lay_out(l, false, &at) < 0)
		return l->err->code;
	l->data_len = round_up(at, page) - l->code_len;
	p = mmap(NULL, l->code_len + l->data_len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return err_set(l->err, ERR_SYSTEM, "native: no memory for code");
	l->base = p;
	copy_sections(l);
	return 0;
}

static void link_done(struct link *l)
{
	if (l->base != NULL)
		(void)munmap(l->base, l->code_len + l->data_len);
}

int native_image_load(const uint8_t *elf, size_t len, struct native_image *ret, struct err *err)
{
	AUTO(link_done) struct link l = { .elf = elf, .len = len, .err = err };
	uint64_t entry = 0;
	void *code;

	if (read_header(&l) < 0 || map_image(&l) < 0 || relocate_all(&l) < 0 ||
	    find_entry(&l, &entry) < 0)
		return err->code;
	if (mprotect(l.base, l.code_len, PROT_READ | PROT_EXEC) != 0 ||
	    (l.data_len > 0 && mprotect(l.base + l.code_len, l.data_len, PROT_READ) != 0))
		return err_set(err, ERR_SYSTEM, "native: code cannot be made executable");
	ret->len = l.code_len + l.data_len;
	code = l.base + entry;
	memcpy(&ret->entry, &code, sizeof(code));
	ret->base = MOVE(l.base);
	return 0;
}

void native_image_done(struct native_image *image)
{
	if (image->base != NULL)
		(void)munmap(image->base, image->len);
	*image = (struct native_image){ 0 };
}

/* ---- what compiled code may call ----------------------------------------------------------- */

struct symbol {
	const char *name;
	float (*one)(float);
	float (*two)(float, float);
	double (*wide)(double);
	void *(*set)(void *, int, size_t);
};

static const struct symbol symbols[] = {
	{ .name = "expf", .one = expf },
	{ .name = "exp2f", .one = exp2f },
	{ .name = "logf", .one = logf },
	{ .name = "log2f", .one = log2f },
	{ .name = "sinf", .one = sinf },
	{ .name = "cosf", .one = cosf },
	{ .name = "tanf", .one = tanf },
	{ .name = "asinf", .one = asinf },
	{ .name = "acosf", .one = acosf },
	{ .name = "atanf", .one = atanf },
	{ .name = "sinhf", .one = sinhf },
	{ .name = "coshf", .one = coshf },
	{ .name = "tanhf", .one = tanhf },
	{ .name = "asinhf", .one = asinhf },
	{ .name = "acoshf", .one = acoshf },
	{ .name = "atanhf", .one = atanhf },
	{ .name = "powf", .two = powf },
	{ .name = "atan2f", .two = atan2f },
	/* What LLVM calls on CPUs without an instruction for it. */
	{ .name = "floorf", .one = floorf },
	{ .name = "ceilf", .one = ceilf },
	{ .name = "truncf", .one = truncf },
	{ .name = "roundevenf", .one = rintf },
	{ .name = "trunc", .wide = trunc },
	{ .name = "floor", .wide = floor },
	{ .name = "ceil", .wide = ceil },
	{ .name = "roundeven", .wide = rint },
	{ .name = "memset", .set = memset },
};

const void *native_symbol(const char *name)
{
	const void *p = NULL;

	for (size_t n = 0; n < ARRAY_LEN(symbols); n++) {
		const struct symbol *s = &symbols[n];

		if (strcmp(s->name, name) != 0)
			continue;
		if (s->one != NULL)
			memcpy(&p, &s->one, sizeof(p));
		else if (s->two != NULL)
			memcpy(&p, &s->two, sizeof(p));
		else if (s->wide != NULL)
			memcpy(&p, &s->wide, sizeof(p));
		else
			memcpy(&p, &s->set, sizeof(p));
		return p;
	}
	return NULL;
}
