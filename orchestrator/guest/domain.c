/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/domain.h"

#include <string.h>

#include "base/buffer.h"
#include "base/random.h"

enum { XML_MAXIMUM = 256 * 1024 };

static const uint64_t mebibyte = UINT64_C(1) << 20;

/* Text for an attribute in single quotes or for an element; control characters become '?'. */
static void xml_text(struct buffer *xml, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            buffer_puts(xml, "&amp;");
        else if (c == '<')
            buffer_puts(xml, "&lt;");
        else if (c == '>')
            buffer_puts(xml, "&gt;");
        else if (c == '\'')
            buffer_puts(xml, "&apos;");
        else if (c < ' ' || c == 0x7f)
            buffer_puts(xml, "?");
        else
            buffer_append(xml, text, 1);
    }
}

/* <name>text</name>, one line, indented. */
static void xml_element(struct buffer *xml, const char *indent, const char *name, const char *text)
{
    buffer_printf(xml, "%s<%s>", indent, name);
    xml_text(xml, text);
    buffer_printf(xml, "</%s>\n", name);
}

static void qemu_argument(struct buffer *xml, const char *value)
{
    buffer_puts(xml, "    <qemu:arg value='");
    xml_text(xml, value);
    buffer_puts(xml, "'/>\n");
}

__attribute__((format(printf, 3, 4))) static void
qemu_option(struct buffer *xml, const char *option, const char *format, ...)
{
    _cleanup_buffer_ struct buffer value = BUFFER_INIT(8192);
    va_list arguments;

    va_start(arguments, format);
    buffer_vprintf(&value, format, arguments);
    va_end(arguments);
    qemu_argument(xml, option);
    if (value.status != CULPRIT_OK)
        xml->status = value.status;
    else
        qemu_argument(xml, value.data);
}

void guest_uuid(uint64_t seed, char ret_text[GUEST_UUID_SIZE])
{
    struct random random;
    unsigned char b[16];

    random_seed(&random, seed);
    for (size_t i = 0; i < sizeof b; i += 8) {
        uint64_t word = random_next(&random);
        for (size_t j = 0; j < 8; j++)
            b[i + j] = (unsigned char)(word >> (8 * j));
    }
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40); /* RFC 4122: version 4, variant 1 */
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(ret_text, GUEST_UUID_SIZE,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

static int check_definition(const struct guest_definition *definition, struct culprit_error *error)
{
    const struct topology *topology = definition->topology;

    if (definition->engine != ENGINE_REALTIME && definition->engine != ENGINE_DETERMINISTIC &&
        definition->engine != ENGINE_FUNCTIONAL)
        return culprit_fail(error, CULPRIT_INVALID, "a guest needs an engine that was chosen");
    if (definition->shift > 10)
        return culprit_fail(error, CULPRIT_INVALID, "shift %u is not in 0 to 10",
                            definition->shift);
    if (definition->memory < 32 * mebibyte || definition->memory > topology->memory_maximum)
        return culprit_fail(
            error, CULPRIT_INVALID, "a guest of topology %s takes 32 to %llu MiB, not %llu MiB",
            topology->name, (unsigned long long)(topology->memory_maximum / mebibyte),
            (unsigned long long)(definition->memory / mebibyte));
    if (definition->memory % (mebibyte * topology->nodes))
        return culprit_fail(error, CULPRIT_INVALID,
                            "the memory must be whole MiB for each of the %u nodes",
                            topology->nodes);
    return 0;
}

static void write_identity(struct buffer *xml, const struct guest_definition *definition,
                           const struct domain_options *options)
{
    xml_element(xml, "  ", "name", options->name ? options->name : "");
    buffer_puts(xml,
                "  <metadata>\n    <culprit:guest xmlns:culprit='" DOMAIN_METADATA_URI "' owner='");
    xml_text(xml, options->owner ? options->owner : "");
    buffer_puts(xml, "' label='");
    xml_text(xml, options->name && definition->label ? definition->label : "");
    buffer_puts(xml, "'/>\n  </metadata>\n");
}

static void write_boot(struct buffer *xml, const struct guest_definition *definition,
                       bool with_paths)
{
    buffer_puts(xml, "  <os>\n    <type arch='x86_64' machine='q35'>hvm</type>\n");
    xml_element(xml, "    ", "kernel", with_paths ? definition->kernel : "/kernel");
    if (definition->initrd)
        xml_element(xml, "    ", "initrd", with_paths ? definition->initrd : "/initrd");
    xml_element(xml, "    ", "cmdline", definition->cmdline);
    buffer_puts(xml, "  </os>\n  <features>\n    <acpi/>\n    <vmport state='off'/>\n"
                     "  </features>\n");
}

static void write_nodes(struct buffer *xml, const struct topology *topology, uint64_t memory)
{
    unsigned share = topology_cpus(topology) / topology->nodes;

    buffer_puts(xml, "    <numa>\n");
    for (unsigned node = 0; node < topology->nodes; node++)
        buffer_printf(xml, "      <cell id='%u' cpus='%u-%u' memory='%llu' unit='MiB'/>\n", node,
                      node * share, (node + 1) * share - 1,
                      (unsigned long long)(memory / topology->nodes / mebibyte));
    buffer_puts(xml, "    </numa>\n");
}

/* The same named model under every engine: what the guest sees does not hang on the host. */
static void write_cpu(struct buffer *xml, const struct guest_definition *definition)
{
    const struct topology *topology = definition->topology;

    buffer_puts(xml, "  <cpu mode='custom' match='exact' check='none'>\n");
    buffer_puts(xml, "    <model fallback='forbid'>");
    xml_text(xml, topology->cpu_model);
    buffer_puts(xml, "</model>\n");
    buffer_printf(xml, "    <topology sockets='%u' dies='%u' cores='%u' threads='%u'/>\n",
                  topology->sockets, topology->dies, topology->cores, topology->threads);
    if (topology->nodes > 1)
        write_nodes(xml, topology, definition->memory);
    buffer_puts(xml, "  </cpu>\n");
}

static void write_pins(struct buffer *xml, const struct topology *topology,
                       const struct domain_options *options)
{
    if (!options->pins)
        return;
    buffer_puts(xml, "  <cputune>\n");
    for (unsigned cpu = 0; cpu < topology_cpus(topology); cpu++)
        buffer_printf(xml, "    <vcpupin vcpu='%u' cpuset='%u'/>\n", cpu, options->pins[cpu]);
    if (options->emulator_cpus)
        buffer_printf(xml, "    <emulatorpin cpuset='%s'/>\n", options->emulator_cpus);
    buffer_puts(xml, "  </cputune>\n");
}

/* A clock that starts at a fixed time and then follows the guest's own. */
static void write_clock(struct buffer *xml)
{
    buffer_puts(xml, "  <clock offset='absolute' start='1577836800'>\n"
                     "    <timer name='rtc' track='guest'/>\n  </clock>\n");
}

static void write_devices(struct buffer *xml, const struct domain_options *options)
{
    buffer_puts(xml, "  <on_poweroff>destroy</on_poweroff>\n"
                     "  <on_reboot>destroy</on_reboot>\n"
                     "  <on_crash>destroy</on_crash>\n"
                     "  <devices>\n");
    if (options->emulator)
        xml_element(xml, "    ", "emulator", options->emulator);
    buffer_puts(xml, "    <controller type='usb' model='none'/>\n"
                     "    <memballoon model='none'/>\n"
                     "    <panic model='isa'/>\n"
                     "  </devices>\n");
}

static void write_labels(struct buffer *xml, const struct domain_options *options)
{
    if (options->user_label) {
        buffer_puts(xml, "  <seclabel type='static' model='dac' relabel='no'>\n");
        xml_element(xml, "    ", "label", options->user_label);
        buffer_puts(xml, "  </seclabel>\n");
    }
    if (options->unconfined_model)
        buffer_printf(xml, "  <seclabel type='none' model='%s'/>\n", options->unconfined_model);
}

/* QEMU takes a comma in an option's value when it stands there twice. */
static void write_port(struct buffer *xml, unsigned index, const char *name, const char *path)
{
    _cleanup_buffer_ struct buffer quoted = BUFFER_INIT(8192);

    buffer_puts(&quoted, "");
    for (; *path; path++)
        buffer_append(&quoted, *path == ',' ? ",," : path, *path == ',' ? 2 : 1);
    if (quoted.status != CULPRIT_OK) {
        xml->status = quoted.status;
        return;
    }
    qemu_option(xml, "-chardev", "file,id=%s,path=%s,append=on", name, quoted.data);
    qemu_option(xml, "-device", "isa-serial,chardev=%s,index=%u", name, index);
}

static void write_cpu_options(struct buffer *xml, const struct topology *topology)
{
    if (topology->l2_shared_by)
        qemu_option(xml, "-machine", "smp-cache.0.cache=l2,smp-cache.0.topology=%s",
                    topology->l2_shared_by);
    if (topology->cpuid_level)
        qemu_option(xml, "-global", "%s-x86_64-cpu.level=%u", topology->cpu_model,
                    topology->cpuid_level);
    if (!topology->l3_cache)
        qemu_option(xml, "-global", "%s-x86_64-cpu.l3-cache=off", topology->cpu_model);
}

static void write_commandline(struct buffer *xml, const struct guest_definition *definition,
                              bool with_paths)
{
    char uuid[GUEST_UUID_SIZE];

    buffer_puts(xml, "  <qemu:commandline>\n");
    if (definition->engine == ENGINE_DETERMINISTIC)
        qemu_option(xml, "-icount", "shift=%u,sleep=off", definition->shift);
    qemu_option(xml, "-seed", "%llu", (unsigned long long)definition->seed);
    /* Not as <uuid>: that names the domain, and guests of one seed may run at the same time. */
    guest_uuid(definition->seed, uuid);
    qemu_option(xml, "-uuid", "%s", uuid);
    write_cpu_options(xml, definition->topology);
    write_port(xml, 0, "culprit-console", with_paths ? definition->console_path : "/console");
    write_port(xml, 1, "culprit-records", with_paths ? definition->records_path : "/records");
    buffer_puts(xml, "  </qemu:commandline>\n");
}

static int render(const struct guest_definition *definition, const struct domain_options *options,
                  bool with_paths, char **ret_xml, struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer xml = BUFFER_INIT(XML_MAXIMUM);

    int status = check_definition(definition, error);
    if (status < 0)
        return status;
    buffer_printf(&xml,
                  "<domain type='%s' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n",
                  definition->engine == ENGINE_REALTIME ? "kvm" : "qemu");
    write_identity(&xml, definition, options);
    buffer_printf(&xml, "  <memory unit='MiB'>%llu</memory>\n",
                  (unsigned long long)(definition->memory / mebibyte));
    buffer_printf(&xml, "  <vcpu>%u</vcpu>\n", topology_cpus(definition->topology));
    write_pins(&xml, definition->topology, options);
    write_boot(&xml, definition, with_paths);
    write_cpu(&xml, definition);
    write_clock(&xml);
    write_devices(&xml, options);
    write_labels(&xml, options);
    write_commandline(&xml, definition, with_paths);
    buffer_puts(&xml, "</domain>\n");
    status = buffer_status(&xml, "the domain XML", error);
    if (status < 0)
        return status;
    *ret_xml = buffer_take(&xml);
    return *ret_xml ? 0 : culprit_fail(error, CULPRIT_NO_MEMORY, "no memory for domain XML");
}

int domain_xml(const struct guest_definition *definition, const struct domain_options *options,
               char **ret_xml, struct culprit_error *error)
{
    return render(definition, options, true, ret_xml, error);
}

int definition_digest(const struct guest_definition *definition, char ret_hex[DIGEST_HEX_SIZE],
                      struct culprit_error *error)
{
    static const struct domain_options none = {0};
    _cleanup_free_ char *xml = NULL;

    int status = render(definition, &none, false, &xml, error);
    if (status < 0)
        return status;
    digest_bytes(xml, strlen(xml), ret_hex);
    return 0;
}
