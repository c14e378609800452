/* vulkan_list.c - which devices there are and what they offer; see vulkan_int.h. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "gpu/vulkan_int.h"

static bool read_extensions(const struct vulkan *v, struct vulkan_facts *f)
{
	AUTO(mem_freep)
	VkExtensionProperties *list = NEW_ARRAY(VkExtensionProperties, VULKAN_MAX_EXTENSIONS);
	uint32_t n = VULKAN_MAX_EXTENSIONS;
	VkResult r = v->call.EnumerateDeviceExtensionProperties(f->physical, NULL, &n, list);

	if (r != VK_SUCCESS && r != VK_INCOMPLETE)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (text_equal(list[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
			f->host_alignment = 1;
		if (text_equal(list[i].extensionName, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
			f->has_float_controls = true;
		if (text_equal(list[i].extensionName, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
			f->has_size_control = true;
	}
	return true;
}

static const char *vendor_name(uint32_t id)
{
	static const struct {
		uint32_t id;
		const char *name;
	} known[] = {
		{ 0x1002, "amd" },    { 0x10de, "nvidia" },   { 0x8086, "intel" },
		{ 0x13b5, "arm" },    { 0x5143, "qualcomm" }, { 0x1010, "imagination" },
		{ 0x106b, "apple" },  { 0x14e4, "broadcom" }, { VK_VENDOR_ID_MESA, "mesa" },
		{ 0x1ae0, "google" },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].id == id)
			return known[i].name;
	return "";
}

/* The driver's UUID of the device; of what it is made of, if a driver has none. */
static const char *make_id(struct arena *a, const struct vulkan_facts *f,
			   const VkPhysicalDeviceIDProperties *ids)
{
	static const uint8_t none[VK_UUID_SIZE];
	char hex[2 * VK_UUID_SIZE + 1];

	if (memcmp(ids->deviceUUID, none, VK_UUID_SIZE) == 0)
		return arena_printf(a, "%04x-%04x-%u", f->properties.vendorID,
				    f->properties.deviceID, f->device.index);
	for (uint32_t i = 0; i < VK_UUID_SIZE; i++) {
		hex[2 * i] = "0123456789abcdef"[ids->deviceUUID[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[ids->deviceUUID[i] & 15];
	}
	hex[2 * VK_UUID_SIZE] = '\0';
	return arena_strdup(a, hex);
}

/* Drivers write these: only printable ASCII comes through. */
static const char *clean(struct arena *a, const char *s, size_t max)
{
	char *copy = arena_strndup(a, s, strnlen(s, max));

	for (char *c = copy; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return copy;
}

static uint64_t memory_mib(const VkPhysicalDeviceMemoryProperties *m)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < m->memoryHeapCount; i++)
		if ((m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 &&
		    m->memoryHeaps[i].size > most)
			most = m->memoryHeaps[i].size;
	return most >> 20;
}

static bool find_family(const struct vulkan *v, struct vulkan_facts *f)
{
	VkQueueFamilyProperties list[VULKAN_MAX_FAMILIES];
	uint32_t n = VULKAN_MAX_FAMILIES;
	bool found = false;

	v->call.GetPhysicalDeviceQueueFamilyProperties(f->physical, &n, list);
	for (uint32_t i = 0; i < n; i++) {
		if ((list[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
			continue;
		/* One without graphics does not share its time with a screen. */
		if (!found || (list[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0)
			f->family = i;
		found = true;
	}
	return found;
}

static uint32_t float_modes(const VkPhysicalDeviceFloatControlsProperties *p)
{
	const VkShaderFloatControlsIndependence all = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
	uint32_t modes = (p->shaderRoundingModeRTEFloat32 ? GPU_MODE_RTE : 0u) |
			 (p->shaderDenormPreserveFloat32 ? GPU_MODE_DENORM : 0u) |
			 (p->shaderSignedZeroInfNanPreserveFloat32 ? GPU_MODE_INFNAN : 0u) |
			 (p->shaderSignedZeroInfNanPreserveFloat64 ? GPU_MODE_INFNAN64 : 0u);

	if (p->shaderRoundingModeRTEFloat64 && p->roundingModeIndependence == all)
		modes |= GPU_MODE_RTE64;
	if (p->shaderDenormPreserveFloat64 && p->denormBehaviorIndependence == all)
		modes |= GPU_MODE_DENORM64;
	return modes;
}

/* All that SPIR-V of our compiler may use; of the size that WGSL promises. */
static bool has_subgroups(const VkPhysicalDeviceSubgroupProperties *p)
{
	const VkSubgroupFeatureFlags all =
	    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
	    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
	    VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;

	return (p->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
	       (p->supportedOperations & all) == all && p->subgroupSize >= 4 &&
	       p->subgroupSize <= 128;
}

/* Sizes that kernels may ask for, ORed. */
static uint32_t sizes_of(const VkPhysicalDeviceSubgroupSizeControlProperties *p)
{
	uint32_t sizes = 0;

	if ((p->requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0)
		return 0;
	for (uint32_t n = GPU_MIN_SUBGROUP; n <= GPU_MAX_SUBGROUP; n *= 2)
		if (n >= p->minSubgroupSize && n <= p->maxSubgroupSize)
			sizes |= n;
	return sizes;
}

/* With the extension: which sizes there are, if the features are there too. */
static void read_size_control(const struct vulkan *v, struct vulkan_facts *f)
{
	VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes
	};
	VkPhysicalDeviceSubgroupSizeControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES
	};
	VkPhysicalDeviceFeatures2 features = { .sType =
						   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					       .pNext = &control };

	if (!f->has_size_control)
		return;
	v->call.GetPhysicalDeviceFeatures2(f->physical, &features);
	v->call.GetPhysicalDeviceProperties2(f->physical, &properties);
	f->has_size_control = control.subgroupSizeControl && control.computeFullSubgroups;
	f->max_subgroups = sizes.maxComputeWorkgroupSubgroups;
	if (f->has_size_control && (f->device.modes & GPU_MODE_SUBGROUPS) != 0)
		f->device.modes |= gpu_subgroup_modes(sizes_of(&sizes));
}

static void describe(struct arena *a, struct vulkan_facts *f,
		     const VkPhysicalDeviceIDProperties *ids,
		     const VkPhysicalDeviceDriverProperties *driver,
		     const VkPhysicalDeviceFloatControlsProperties *floats,
		     const VkPhysicalDeviceSubgroupProperties *subgroups)
{
	struct gpu_device *d = &f->device;
	uint32_t version = f->properties.driverVersion;

	d->id = make_id(a, f, ids);
	d->vendor = vendor_name(f->properties.vendorID);
	d->name = clean(a, f->properties.deviceName, sizeof(f->properties.deviceName));
	d->driver =
	    driver->driverName[0] == '\0'
		? arena_printf(a, "%u.%u.%u", VK_VERSION_MAJOR(version), VK_VERSION_MINOR(version),
			       VK_VERSION_PATCH(version))
		: arena_printf(a, "%s %s", clean(a, driver->driverName, sizeof(driver->driverName)),
			       clean(a, driver->driverInfo, sizeof(driver->driverInfo)));
	d->memory_mib = memory_mib(&f->memory);
	d->is_software = f->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	d->modes = (f->has_float_controls ? float_modes(floats) : 0u) |
		   (f->features.shaderInt64 ? GPU_MODE_INT64 : 0u) |
		   (f->features.shaderFloat64 ? GPU_MODE_FLOAT64 : 0u) |
		   (has_subgroups(subgroups) ? GPU_MODE_SUBGROUPS : 0u);
}

/* False: it cannot run kernels. */
static bool read_facts(const struct vulkan *v, struct arena *a, struct vulkan_facts *f)
{
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT
	};
	VkPhysicalDeviceSubgroupProperties subgroups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &host
	};
	VkPhysicalDeviceFloatControlsProperties floats = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
		.pNext = &subgroups
	};
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &floats
	};
	VkPhysicalDeviceIDProperties ids = { .sType =
						 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
					     .pNext = &driver };
	VkPhysicalDeviceProperties2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					    .pNext = &ids };

	v->call.GetPhysicalDeviceProperties(f->physical, &f->properties);
	if (f->properties.apiVersion < VK_API_VERSION_1_1 || !find_family(v, f) ||
	    !read_extensions(v, f))
		return false;
	v->call.GetPhysicalDeviceProperties2(f->physical, &all);
	v->call.GetPhysicalDeviceFeatures(f->physical, &f->features);
	v->call.GetPhysicalDeviceMemoryProperties(f->physical, &f->memory);
	if (f->host_alignment > 0)
		f->host_alignment = host.minImportedHostPointerAlignment;
	describe(a, f, &ids, &driver, &floats, &subgroups);
	read_size_control(v, f);
	return true;
}

int vulkan_list(const struct vulkan *v, struct arena *a, struct vulkan_facts *ret, uint32_t *ret_n,
		struct err *err)
{
	VkPhysicalDevice list[VULKAN_MAX_DEVICES];
	uint32_t n = VULKAN_MAX_DEVICES;
	VkResult r = v->call.EnumeratePhysicalDevices(v->instance, &n, list);
	uint32_t kept = 0;

	if (r != VK_SUCCESS && r != VK_INCOMPLETE)
		return err_set(err, ERR_UNAVAILABLE, "no Vulkan: devices cannot be listed (%d)",
			       (int)r);
	for (uint32_t i = 0; i < n; i++) {
		ret[kept] =
		    (struct vulkan_facts){ .physical = list[i], .device = { .index = kept } };
		kept += read_facts(v, a, &ret[kept]);
	}
	*ret_n = kept;
	return 0;
}

int gpu_list(struct arena *a, const struct gpu_device **ret, uint32_t *ret_n, struct err *err)
{
	struct vulkan v;
	struct vulkan_facts *facts = arena_new_array(a, struct vulkan_facts, VULKAN_MAX_DEVICES);
	struct gpu_device *list = arena_new_array(a, struct gpu_device, VULKAN_MAX_DEVICES);

	if (vulkan_start(&v, err) < 0)
		return err->code;
	if (vulkan_list(&v, a, facts, ret_n, err) == 0)
		for (uint32_t i = 0; i < *ret_n; i++)
			list[i] = facts[i].device;
	vulkan_stop(&v);
	*ret = list;
	return err->code;
}
