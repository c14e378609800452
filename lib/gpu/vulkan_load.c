/* vulkan_load.c - libvulkan by dlopen, an instance; see vulkan_int.h. */
#include <dlfcn.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vulkan_int.h"

struct slot {
	const char *name;
	size_t offset; /* in struct vulkan_calls */
};

#define SLOT(name) { "vk" #name, offsetof(struct vulkan_calls, name) },
static const struct slot GLOBALS[] = { VULKAN_GLOBAL_CALLS(SLOT) };
static const struct slot INSTANCES[] = { VULKAN_INSTANCE_CALLS(SLOT) };
static const struct slot DEVICES[] = { VULKAN_DEVICE_CALLS(SLOT) };

static void put(struct vulkan_calls *c, const struct slot *s, PFN_vkVoidFunction f)
{
	memcpy((char *)c + s->offset, &f, sizeof(f));
}

static int missing(struct err *err, const char *name)
{
	return err_set(err, ERR_UNAVAILABLE, "no Vulkan: the library has no %s", name);
}

static int load(struct vulkan_calls *c, VkInstance instance, const struct slot *slots, size_t n,
		struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		PFN_vkVoidFunction f = c->get(instance, slots[i].name);

		if (f == NULL)
			return missing(err, slots[i].name);
		put(c, &slots[i], f);
	}
	return 0;
}

int vulkan_load_device(struct vulkan_calls *c, VkDevice device, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(DEVICES); i++) {
		PFN_vkVoidFunction f = c->GetDeviceProcAddr(device, DEVICES[i].name);

		if (f == NULL)
			return missing(err, DEVICES[i].name);
		put(c, &DEVICES[i], f);
	}
	c->GetMemoryHostPointerPropertiesEXT =
	    (PFN_vkGetMemoryHostPointerPropertiesEXT)c->GetDeviceProcAddr(
		device, "vkGetMemoryHostPointerPropertiesEXT");
	return 0;
}

static const char *result_name(VkResult r)
{
	switch ((int)r) {
	case VK_ERROR_OUT_OF_HOST_MEMORY:
		return "out of the host's memory";
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
		return "out of the device's memory";
	case VK_ERROR_INITIALIZATION_FAILED:
		return "initialization failed";
	case VK_ERROR_DEVICE_LOST:
		return "the device is lost";
	case VK_ERROR_INCOMPATIBLE_DRIVER:
		return "no driver";
	case VK_ERROR_INVALID_EXTERNAL_HANDLE:
		return "the memory cannot be shared";
	default:
		return NULL;
	}
}

int vulkan_error(struct err *err, VkResult r, const char *what)
{
	const char *name = result_name(r);
	enum err_code code = ERR_GONE;

	if (r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY)
		code = ERR_TOO_BIG;
	if (r == VK_ERROR_INCOMPATIBLE_DRIVER)
		code = ERR_UNAVAILABLE;
	if (name == NULL)
		return err_set(err, code, "vulkan: %s: error %d", what, (int)r);
	return err_set(err, code, "vulkan: %s: %s", what, name);
}

static int make_instance(struct vulkan *v, struct err *err)
{
	const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
						.pApplicationName = "kwarp",
						.apiVersion = VK_API_VERSION_1_2 };
	const VkInstanceCreateInfo spec = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					    .pApplicationInfo = &application };
	VkResult r = v->call.CreateInstance(&spec, NULL, &v->instance);

	if (r == VK_SUCCESS)
		return 0;
	v->instance = NULL;
	return err_set(err, ERR_UNAVAILABLE, "no Vulkan: %s",
		       r == VK_ERROR_INCOMPATIBLE_DRIVER ? "no driver is installed"
							 : "no driver can be started");
}

int vulkan_start(struct vulkan *v, struct err *err)
{
	*v = (struct vulkan){ .library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL) };
	if (v->library == NULL)
		return err_set(err, ERR_UNAVAILABLE, "no Vulkan: there is no libvulkan.so.1 here");
	v->call.get = (PFN_vkGetInstanceProcAddr)dlsym(v->library, "vkGetInstanceProcAddr");
	if (v->call.get == NULL)
		return missing(err, "vkGetInstanceProcAddr");
	if (load(&v->call, NULL, GLOBALS, ARRAY_LEN(GLOBALS), err) < 0 || make_instance(v, err) < 0)
		return err->code;
	if (load(&v->call, v->instance, INSTANCES, ARRAY_LEN(INSTANCES), err) < 0) {
		vulkan_stop(v);
		return err->code;
	}
	return 0;
}

void vulkan_stop(struct vulkan *v)
{
	if (v->instance != NULL && v->call.DestroyInstance != NULL)
		v->call.DestroyInstance(v->instance, NULL);
	v->instance = NULL;
}
