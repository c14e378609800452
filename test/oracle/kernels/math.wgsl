//! kernel sqrt_ accept in=pos ulp=3
  o[i] = sqrt(x);
//! kernel inverse_sqrt accept in=pos ulp=2
  o[i] = inverseSqrt(x);
//! kernel exp_ accept in=unit ulp=6
  o[i] = exp(x);
//! kernel exp2_ accept in=unit ulp=6
  o[i] = exp2(x * 4.0);
//! kernel log_ accept in=pos ulp=3 abs=5e-7
  o[i] = log(x);
//! kernel log2_ accept in=pos ulp=3 abs=1e-6
  o[i] = log2(x);
//! kernel pow_ accept in=pos ulp=64
  o[i] = pow(x, 1.5);
//! kernel sin_ accept in=unit abs=4.9e-4
  o[i] = sin(x * 3.0);
//! kernel cos_ accept in=unit abs=4.9e-4
  o[i] = cos(x * 3.0);
//! kernel tan_ accept in=unit abs=2e-3
  o[i] = tan(x);
//! kernel asin_ accept in=unit ulp=4096 abs=7e-5
  o[i] = asin(x);
//! kernel acos_ accept in=unit ulp=4096 abs=7e-5
  o[i] = acos(x);
//! kernel atan_ accept in=f32 ulp=4096
  o[i] = atan(x);
//! kernel atan2_ accept in=pos ulp=4096
  o[i] = atan2(x, y);
//! kernel atan2_quadrants accept in=unit ulp=4096
  o[i] = atan2(x, y);
//! kernel sinh_ accept in=unit ulp=64 abs=1e-6
  o[i] = sinh(x);
//! kernel cosh_ accept in=unit ulp=64
  o[i] = cosh(x);
//! kernel tanh_ accept in=unit abs=1e-5
  o[i] = tanh(x);
//! kernel asinh_ accept in=unit abs=1e-5
  o[i] = asinh(x);
//! kernel acosh_ accept in=pos abs=1e-5
  o[i] = acosh(x + 1.0);
//! kernel atanh_ accept in=unit abs=1e-4
  o[i] = atanh(x * 0.9);
//! kernel vector_forms accept in=pos abs=1e-2
  let v = sqrt(vec2(x, y)) + exp2(vec2(0.5, x * 0.125)) + log2(vec2(y, x));
  o[i] = v.x + v.y;
//! kernel normalise_sum accept in=pos abs=1e-4
  let v = normalize(vec4(x, y, 1.0, 2.0));
  o[i] = dot(v, v);
//! kernel pi_sum accept in=onef
  var hits = 0u;
  var s = 12345u;
  for (var k = 0u; k < 2000u; k++) {
    s = s * 747796405u + 2891336453u;
    let px = f32(s >> 8u) / 16777216.0;
    s = s * 747796405u + 2891336453u;
    let py = f32(s >> 8u) / 16777216.0;
    if (px * px + py * py < 1.0) { hits++; }
  }
  o[0] = f32(hits);
//! kernel mandelbrot accept in=unit
  var zx = 0.0;
  var zy = 0.0;
  var n = 0u;
  while (n < 100u && zx * zx + zy * zy < 4.0) {
    let t = zx * zx - zy * zy + x;
    zy = 2.0 * zx * zy + y;
    zx = t;
    n++;
  }
  o[i] = f32(n);
//! kernel newton accept in=pos ulp=4
  var r = x;
  for (var k = 0; k < 12; k++) { r = 0.5 * (r + x / r); }
  o[i] = r;
