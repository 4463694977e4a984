// Lends the kernels of a folder of experts' C (`--peers`) the interface of those here.
#include "bench.h"
typedef uint32_t u32;

double a1_sumabs(const float *x, i64 n);
void a4_life(const float *g, float *o, i64 n, i64 m);
void a6_gauss(const float *img, float *out, i64 n, i64 m, const float *w);
void a8_klt(const float *img, float *out, i64 n, i64 m, const float *w5, const float *w9);
double n1_dot(const float *x, const float *y, i64 n);
void n2_sort(const i32 *x, i32 *out, u32 *tmp, i64 n);
void n3_bs(const float *S, const float *K, const float *T, float *call, float *put, i64 n, float r, float v);
void n6_spmv(const i32 *ptr, const i32 *col, const float *val, const float *x, float *y, i64 n);
void n7_segsum(const float *x, const i32 *off, float *out, i64 k);
void n8f_scan(const float *x, float *o, i64 n);
void n8i_scan(const i32 *x, i32 *o, i64 n);
void n9_mandel(i32 *out, i64 n, int iters, float x0, float y0, float step);
i64 n10_pack(const float *x, float *o, i64 n);
void n11_hist(const float *x, i32 *h, i64 n);
void n12_chain(const float *x, const float *y, float *o, i64 n);

void peer_sum_abs(In in, Out out, Sizes n) { *(float *)out[0] = (float)a1_sumabs(in[0], n[0] * n[1]); }
void peer_life(In in, Out out, Sizes n) { a4_life(in[0], out[0], n[0], n[1]); }
void peer_gaussian(In in, Out out, Sizes n) { a6_gauss(in[0], out[0], n[0], n[1], in[1]); }
void peer_klt(In in, Out out, Sizes n) { a8_klt(in[0], out[0], n[0], n[1], in[1], in[2]); }
void peer_dot(In in, Out out, Sizes n) { *(float *)out[0] = (float)n1_dot(in[0], in[1], n[0]); }
void peer_sort(In in, Out out, Sizes n) { n2_sort(in[0], out[0], out[1], n[0]); }
void peer_black_scholes(In in, Out out, Sizes n) { n3_bs(in[0], in[1], in[2], out[0], out[1], n[0], 0.02f, 0.3f); }
void peer_spmv(In in, Out out, Sizes n) { n6_spmv(in[0], in[1], in[2], in[3], out[0], n[0]); }
void peer_segmented_sum(In in, Out out, Sizes n) { n7_segsum(in[0], in[1], out[0], n[0]); }
void peer_scan_f32(In in, Out out, Sizes n) { n8f_scan(in[0], out[0], n[0]); }
void peer_scan_i32(In in, Out out, Sizes n) { n8i_scan(in[0], out[0], n[0]); }
void peer_mandelbrot(In in, Out out, Sizes n) { (void)in, n9_mandel(out[0], n[0], 255, -2.0f, -1.25f, 2.5f / (float)n[0]); }
void peer_filter(In in, Out out, Sizes n) { *(i64 *)out[0] = n10_pack(in[0], out[1], n[0]); }
void peer_histogram(In in, Out out, Sizes n) { n11_hist(in[0], out[0], n[0]); }
void peer_chain(In in, Out out, Sizes n) { n12_chain(in[0], in[1], out[0], n[0]); }
