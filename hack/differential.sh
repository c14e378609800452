#!/bin/bash
# Random kernels on all Vulkan drivers that can be had: lavapipe if it is installed, SwiftShader.
# usage: differential.sh BINARY COUNT SEED
set -u
lavapipe=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
drivers=""
[ ! -e "$lavapipe" ] || drivers=$lavapipe
if swiftshader=$("$(dirname "$0")/swiftshader.sh"); then
	drivers=$drivers${drivers:+:}$swiftshader
fi
# No kernel comes twice.
export MESA_SHADER_CACHE_DISABLE=true
export VK_DRIVER_FILES=$drivers VK_ICD_FILENAMES=$drivers
exec nice "$@"
