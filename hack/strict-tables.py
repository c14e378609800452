#!/usr/bin/env python3
# strict-tables.py: computes lib/wgsl/strict_tables.c (needs mpmath and numpy).
#
#     hack/strict-tables.py > lib/wgsl/strict_tables.c
#
# Each table is a polynomial p(z) = c0 + c1 z + ..., whose largest error times `weight` is as small as
# possible on [lo, hi] (Lawson's reweighted least squares on Chebyshev points, which tends to the
# minimax polynomial). Coefficients are rounded to f32 one after the other from c0; the rest is fitted
# again each time, so that it makes up for the rounding. The functions are evaluated by mpmath with
# 60 digits; nothing is taken from elsewhere.
import re

import mpmath as mp
import numpy as np

mp.mp.dps = 60
POINTS = 400


def fit(values, zs, weights, first, degree):
    """Coefficients of z^first..z^degree: minimises max |weights * (values - p)|."""
    w = np.ones(len(zs))
    best, best_err = None, np.inf
    basis = np.stack([zs**k for k in range(first, degree + 1)], axis=1)
    scale = np.abs(basis).max(axis=0)
    for _ in range(60):
        m = basis / scale * (weights * np.sqrt(w))[:, None]
        c = np.linalg.lstsq(m, values * weights * np.sqrt(w), rcond=None)[0] / scale
        err = np.abs(weights * (values - basis @ c))
        if err.max() < best_err:
            best, best_err = c, err.max()
        w *= err + 1e-3 * err.max() + 1e-300
        w /= w.sum()
    return best


def table(name, what, f, lo, hi, degree, weight):
    k = np.arange(POINTS)
    zs = (lo + hi) / 2 + (hi - lo) / 2 * np.cos(np.pi * (k + 0.5) / POINTS)
    zs = zs[np.abs(zs) > 1e-9]
    exact = [f(mp.mpf(float(z))) for z in zs]
    weights = np.array([float(weight(mp.mpf(float(z)))) for z in zs])
    rest = np.array([float(v) for v in exact])
    out = []
    for i in range(degree + 1):
        out.append(np.float32(fit(rest, zs, weights, i, degree)[0]))
        rest = rest - float(out[-1]) * zs**i
    err = np.abs(rest * weights).max()
    print("/* %s, [%.7g, %.7g], error below 2^%.1f */" % (what, lo, hi, np.log2(err)))
    print("const float strict_%s[STRICT_%s] = {" % (name, name.upper()))
    row = [re.sub(r"\.?0*p", "p", float(c).hex()) + "f" for c in out]
    for i in range(0, len(row), 4):
        print("\t" + ", ".join(row[i:i + 4]) + ",")
    print("};\n")


def odd(f):
    """(f(x) - x) / x^3 in z = x^2."""
    return lambda z: (f(mp.sqrt(z)) - mp.sqrt(z)) / (z * mp.sqrt(z))


def odd_weight(f):
    return lambda z: z * mp.sqrt(z) / f(mp.sqrt(z))


def main():
    ln2 = mp.log(2)
    pio4 = mp.pi / 4
    print("/* strict_tables.c - made by hack/strict-tables.py; errors are relative to the function. */")
    print('#include "wgsl/strict_int.h"\n')
    # A little more than what the argument reductions leave.
    r = float(ln2 / 2 * mp.mpf("1.002"))
    table("exp", "(e^r - 1 - r) / r^2", lambda x: (mp.exp(x) - 1 - x) / x**2, -r, r, 4,
          lambda x: x * x / mp.exp(x))
    table("log", "(log(1 + f) - f + f^2 / 2) / f^3",
          lambda x: (mp.log1p(x) - x + x * x / 2) / x**3, float(mp.sqrt(0.5) - 1) * 1.0001,
          float(mp.sqrt(2) - 1) * 1.0001, 8, lambda x: x**3 / mp.log1p(x))
    z = float(pio4**2 * mp.mpf("1.004"))
    table("sin", "(sin r - r) / r^3, z = r^2", odd(mp.sin), 0.0, z, 3, odd_weight(mp.sin))
    table("cos", "(cos r - 1 + r^2 / 2) / r^4, z = r^2",
          lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 0.0, z, 2, lambda z: z**2 / mp.cos(mp.sqrt(z)))
    table("tan", "(tan r - r) / r^3, z = r^2", odd(mp.tan), 0.0, z, 6, odd_weight(mp.tan))
    table("asin", "(asin x - x) / x^3, z = x^2", odd(mp.asin), 0.0, 0.2501, 6, odd_weight(mp.asin))
    table("atan", "(atan x - x) / x^3, z = x^2", odd(mp.atan), 0.0, 0.1717, 5, odd_weight(mp.atan))
    table("sinh", "(sinh x - x) / x^3, z = x^2", odd(mp.sinh), 0.0, 1.0, 3, odd_weight(mp.sinh))
    table("cosh", "(cosh r - 1) / r^2, z = r^2", lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, 0.0,
          r * r, 2, lambda z: z / mp.cosh(mp.sqrt(z)))
    table("tanh", "(tanh x - x) / x^3, z = x^2", odd(mp.tanh), 0.0, 1.0, 7, odd_weight(mp.tanh))
    table("asinh", "(asinh x - x) / x^3, z = x^2", odd(mp.asinh), 0.0, 0.25, 6, odd_weight(mp.asinh))
    table("atanh", "(atanh x - x) / x^3, z = x^2", odd(mp.atanh), 0.0, 0.25, 7, odd_weight(mp.atanh))
    table("acosh", "(acosh(1 + t) / sqrt(2 t) - 1) / t",
          lambda t: (mp.acosh(1 + t) / mp.sqrt(2 * t) - 1) / t, 0.0, 0.5, 5, lambda t: t)
    # log2(1 + f) = s (2 / ln 2 + z (2 / (3 ln 2) + z p(z))), s = f / (2 + f), z = s^2
    k = 2 / ln2
    zmax = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1))**2 * mp.mpf("1.001"))
    table("log2_long", "(log2((1 + s) / (1 - s)) / s - 2 / ln 2 - 2 z / (3 ln 2)) / z^2, z = s^2",
          lambda z: (2 * mp.atanh(mp.sqrt(z)) / ln2 / mp.sqrt(z) - k - k * z / 3) / z**2, 0.0, zmax, 3,
          lambda z: z * z / k)


main()
