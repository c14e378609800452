/*
 * c_kernels.c - see c_kernels.h. Build with -O3 -march=native -ffp-contract=off -fno-math-errno:
 * what a C programmer who knows the machine would write: several elements side by side in inner
 * loops that gcc and clang turn into vector code, no checks of indices.
 */
#include "c_kernels.h"

#include <math.h>
#include <string.h>

enum { LANES = 64, ROWS = 4 };

static inline uint32_t pcg(uint32_t v)
{
	uint32_t s = v * 747796405u + 2891336453u;
	uint32_t w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;

	return (w >> 22u) ^ w;
}

void c_pi(void *const *buffers, uint32_t first, uint32_t end)
{
	uint32_t *hits = buffers[0];

	for (uint32_t i = first; i < end; i += LANES) {
		uint32_t state[LANES], inside[LANES] = { 0 }, sum = 0;

		for (uint32_t l = 0; l < LANES; l++)
			state[l] = pcg(pcg(i + l));
		for (int k = 0; k < PI_SAMPLES; k++) {
			for (uint32_t l = 0; l < LANES; l++) {
				uint32_t a = pcg(state[l]);
				uint32_t b = pcg(a);
				float x = (float)a * (1.0f / 4294967296.0f);
				float y = (float)b * (1.0f / 4294967296.0f);

				state[l] = b;
				inside[l] += x * x + y * y < 1.0f;
			}
		}
		for (uint32_t l = 0; l < LANES; l++)
			sum += inside[l];
		__atomic_fetch_add(hits, sum, __ATOMIC_RELAXED);
	}
}

void c_saxpy(void *const *buffers, uint32_t first, uint32_t end)
{
	const float *restrict x = buffers[0];
	float *restrict y = buffers[1];

	for (uint32_t i = first; i < end; i++)
		y[i] = 1.5f * x[i] + y[i];
}

/* Rows: i, k, j, four rows of the result at a time. */
void c_matrix(void *const *buffers, uint32_t first, uint32_t end)
{
	const float *restrict a = buffers[0];
	const float *restrict b = buffers[1];
	float *restrict c = buffers[2];

	memset(c + (size_t)first * MATRIX_N, 0, sizeof(float) * MATRIX_N * (end - first));
	for (uint32_t i = first; i < end; i++)
		for (uint32_t k = 0; k < MATRIX_N; k++) {
			float f = a[i * MATRIX_N + k];

			for (uint32_t j = 0; j < MATRIX_N; j++)
				c[i * MATRIX_N + j] += f * b[k * MATRIX_N + j];
		}
}

void c_matrix_tiled(void *const *buffers, uint32_t first, uint32_t end)
{
	c_matrix(buffers, first, end);
}

void c_histogram(void *const *buffers, uint32_t first, uint32_t end)
{
	const uint32_t *restrict in = buffers[0];
	uint32_t *out = buffers[1];
	uint32_t bins[ROWS][BINS] = { 0 };

	for (uint32_t i = first; i < end; i += ROWS)
		for (uint32_t k = 0; k < ROWS; k++)
			bins[k][in[i + k] & (BINS - 1)]++;
	for (uint32_t b = 0; b < BINS; b++)
		__atomic_fetch_add(&out[b], bins[0][b] + bins[1][b] + bins[2][b] + bins[3][b],
				   __ATOMIC_RELAXED);
}

static void mandelbrot_block(uint32_t *out, float cy, uint32_t column)
{
	float cx[LANES], x[LANES] = { 0 }, y[LANES] = { 0 };
	uint32_t n[LANES] = { 0 }, in[LANES];

	for (uint32_t l = 0; l < LANES; l++) {
		cx[l] = ((float)(column + l) - 768.0f) * 0.0026041667f;
		in[l] = 1;
	}
	for (uint32_t i = 0; i < PICTURE_LIMIT; i++) {
		uint32_t any = 0;

		for (uint32_t l = 0; l < LANES; l++) {
			float xx = x[l] * x[l];
			float yy = y[l] * y[l];

			in[l] &= xx + yy > 4.0f ? 0 : 1;
			y[l] = 2.0f * x[l] * y[l] + cy;
			x[l] = xx - yy + cx[l];
			n[l] += in[l];
			any |= in[l];
		}
		if (!any)
			break;
	}
	memcpy(out, n, sizeof(n));
}

void c_mandelbrot(void *const *buffers, uint32_t first, uint32_t end)
{
	uint32_t *image = buffers[0];

	for (uint32_t row = first; row < end; row++)
		for (uint32_t column = 0; column < PICTURE_WIDTH; column += LANES)
			mandelbrot_block(image + (size_t)row * PICTURE_WIDTH + column,
					 ((float)row - 384.0f) * 0.0026041667f, column);
}

static void bodies_block(const float *p, float *a, uint32_t first)
{
	float px[LANES], py[LANES], pz[LANES];
	float ax[LANES] = { 0 }, ay[LANES] = { 0 }, az[LANES] = { 0 };

	for (uint32_t l = 0; l < LANES; l++) {
		px[l] = p[4 * (first + l)];
		py[l] = p[4 * (first + l) + 1];
		pz[l] = p[4 * (first + l) + 2];
	}
	for (uint32_t j = 0; j < BODIES; j++) {
		float qx = p[4 * j], qy = p[4 * j + 1], qz = p[4 * j + 2], m = p[4 * j + 3];

		for (uint32_t l = 0; l < LANES; l++) {
			float dx = qx - px[l], dy = qy - py[l], dz = qz - pz[l];
			float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
			float inv = 1.0f / sqrtf(d2);
			float s = m * inv * inv * inv;

			ax[l] += s * dx;
			ay[l] += s * dy;
			az[l] += s * dz;
		}
	}
	for (uint32_t l = 0; l < LANES; l++) {
		a[4 * (first + l)] = ax[l];
		a[4 * (first + l) + 1] = ay[l];
		a[4 * (first + l) + 2] = az[l];
		a[4 * (first + l) + 3] = 0;
	}
}

void c_bodies(void *const *buffers, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i += LANES)
		bodies_block(buffers[0], buffers[1], i);
}
