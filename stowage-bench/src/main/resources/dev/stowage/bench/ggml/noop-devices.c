/*
 * Devices for ggml that compute nothing and hold no memory, so that what is left of a run is ggml's own scheduling. They
 * live in C because calls from C into Java would cost more than everything that is to be measured. On request they take
 * down every call, so that a whole run can be compared with another scheduler's.
 *
 * The structs are those through which ggml calls a backend; NoOpCheck has ggml call through them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OPS 256
#define TYPES 64

struct tensor;

/* The beginning of a graph. */
struct graph {
    int size;
    int node_count;
    int leaf_count;
    struct tensor **nodes;
};

struct type;
struct device;
struct stream;
struct event;

struct type_functions {
    const char *(*name)(struct type *);
    void *(*allocate)(struct type *, size_t);
    size_t (*alignment)(struct type *);
    size_t (*largest)(struct type *);
    size_t (*tensor_size)(struct type *, const struct tensor *);
    bool (*is_host)(struct type *);
};

struct type_rules {
    char name[32];
    size_t alignment;
    size_t largest;
    bool is_host;
    int number;
};

struct type {
    struct type_functions call;
    struct device *device;
    struct type_rules *rules;
};

struct buffer_functions {
    void (*release)(void *);
    void *(*base)(void *);
    int (*init_tensor)(void *, struct tensor *);
    void (*fill)(void *, struct tensor *, uint8_t, size_t, size_t);
    void (*set)(void *, struct tensor *, const void *, size_t, size_t);
    void (*get)(void *, const struct tensor *, void *, size_t, size_t);
    void (*set_2d)(void);
    void (*get_2d)(void);
    bool (*copy)(void *, const struct tensor *, struct tensor *);
    void (*clear)(void *, uint8_t);
    void (*reset)(void *);
};

struct device_functions {
    const char *(*name)(struct device *);
    const char *(*description)(struct device *);
    void (*memory)(struct device *, size_t *, size_t *);
    int (*kind)(struct device *);
    void (*properties)(struct device *, void *);
    struct stream *(*open)(struct device *, const char *);
    struct type *(*type)(struct device *);
    struct type *(*host_type)(struct device *);
    void *(*buffer_over)(struct device *, void *, size_t, size_t);
    bool (*runs)(struct device *, const struct tensor *);
    bool (*reads)(struct device *, struct type *);
    bool (*offloads)(struct device *, const struct tensor *);
    struct event *(*new_event)(struct device *);
    void (*free_event)(struct device *, struct event *);
    void (*wait_for_event)(struct device *, struct event *);
};

struct device_rules {
    char name[32];
    int number;
    int kind;
    struct type *type;
    bool copies_async;
    bool has_events;
    int events_made;
    uint8_t runs[OPS];
    uint8_t offloads[OPS];
    uint8_t reads[TYPES];
};

struct device {
    struct device_functions call;
    void *registry;
    struct device_rules *rules;
};

struct stream_functions {
    const char *(*name)(struct stream *);
    void (*release)(struct stream *);
    void (*set)(void);
    void (*get)(void);
    void (*set_2d)(void);
    void (*get_2d)(void);
    bool (*copy)(struct stream *, struct stream *, const struct tensor *, struct tensor *);
    void (*finish)(struct stream *);
    void *(*plan)(void);
    void (*free_plan)(void);
    void (*update_plan)(void);
    int (*compute_plan)(void);
    int (*compute)(struct stream *, struct graph *);
    void (*record)(struct stream *, struct event *);
    void (*await)(struct stream *, struct event *);
    void (*optimize)(struct stream *, struct graph *);
};

struct stream {
    void *guid;
    struct stream_functions call;
    struct device *device;
    void *context;
};

struct event {
    struct device *device;
    void *number;
};

/* What is recorded: a kind, two numbers, two tensors; a graph's nodes follow as entries of their own. */
enum { COMPUTE, NODE, COPY_ASYNC, SET, GET, SYNC, EVENT_RECORD, EVENT_WAIT, EVENT_SYNC };

struct entry {
    int kind;
    int device;
    int event_device;
    int event;
    const void *one;
    const void *other;
};

static bool recording;
static struct entry *entries;
static size_t entry_count;
static size_t entry_room;

static void take_down(int kind, struct device *device, struct event *event, const void *one, const void *other) {
    if (entry_count == entry_room) {
        entry_room = entry_room == 0 ? 1024 : 2 * entry_room;
        entries = realloc(entries, entry_room * sizeof *entries);
    }
    struct entry *entry = &entries[entry_count++];
    entry->kind = kind;
    entry->device = device == NULL ? -1 : device->rules->number;
    entry->event_device = event == NULL ? -1 : event->device->rules->number;
    entry->event = event == NULL ? -1 : (int) (intptr_t) event->number;
    entry->one = one;
    entry->other = other;
}

void noop_record(bool on) {
    recording = on;
    entry_count = 0;
}

size_t noop_entry_count(void) {
    return entry_count;
}

const struct entry *noop_entries(void) {
    return entries;
}

/* ggml's function that makes a buffer, and the offset of the op in a tensor. */
static void *(*make_buffer)(struct type *, struct buffer_functions, void *, size_t);
static size_t op_offset;

void noop_init(void *buffer_maker, size_t offset_of_op) {
    make_buffer = buffer_maker;
    op_offset = offset_of_op;
}

static int op_of(const struct tensor *tensor) {
    int op;
    memcpy(&op, (const char *) tensor + op_offset, sizeof op);
    return op;
}

/* Buffers: every one claims to begin at the same address, where nothing is ever read or written. */

static void *buffer_base(void *buffer) {
    (void) buffer;
    return (void *) ((uintptr_t) 1 << 40);
}

static void buffer_fill(void *buffer, struct tensor *tensor, uint8_t value, size_t offset, size_t size) {
    (void) buffer, (void) tensor, (void) value, (void) offset, (void) size;
}

static void buffer_set(void *buffer, struct tensor *tensor, const void *data, size_t offset, size_t size) {
    (void) buffer, (void) data, (void) offset, (void) size;
    if (recording) {
        take_down(SET, NULL, NULL, tensor, NULL);
    }
}

static void buffer_get(void *buffer, const struct tensor *tensor, void *data, size_t offset, size_t size) {
    (void) buffer, (void) data, (void) offset, (void) size;
    if (recording) {
        take_down(GET, NULL, NULL, tensor, NULL);
    }
}

static bool buffer_copy(void *buffer, const struct tensor *from, struct tensor *to) {
    (void) buffer, (void) from, (void) to;
    return !recording;
}

static void buffer_clear(void *buffer, uint8_t value) {
    (void) buffer, (void) value;
}

static const char *type_name(struct type *type) {
    return type->rules->name;
}

static void *type_allocate(struct type *type, size_t size) {
    static const struct buffer_functions functions = {
        .base = buffer_base,
        .fill = buffer_fill,
        .set = buffer_set,
        .get = buffer_get,
        .copy = buffer_copy,
        .clear = buffer_clear,
    };
    return make_buffer(type, functions, NULL, size);
}

static size_t type_alignment(struct type *type) {
    return type->rules->alignment;
}

static size_t type_largest(struct type *type) {
    return type->rules->largest;
}

static bool type_is_host(struct type *type) {
    return type->rules->is_host;
}

struct type *noop_new_type(const char *name, int number, size_t alignment, size_t largest, bool is_host) {
    struct type *type = calloc(1, sizeof *type);
    type->rules = calloc(1, sizeof *type->rules);
    strncpy(type->rules->name, name, sizeof type->rules->name - 1);
    type->rules->number = number;
    type->rules->alignment = alignment;
    type->rules->largest = largest;
    type->rules->is_host = is_host;
    type->call.name = type_name;
    type->call.allocate = type_allocate;
    type->call.alignment = type_alignment;
    type->call.largest = type_largest;
    type->call.is_host = type_is_host;
    return type;
}

void noop_free_type(struct type *type) {
    free(type->rules);
    free(type);
}

/* Devices. */

static const char *device_name(struct device *device) {
    return device->rules->name;
}

static void device_memory(struct device *device, size_t *free_bytes, size_t *total) {
    (void) device;
    *free_bytes = SIZE_MAX;
    *total = SIZE_MAX;
}

static int device_kind(struct device *device) {
    return device->rules->kind;
}

static struct type *device_type(struct device *device) {
    return device->rules->type;
}

static bool device_runs(struct device *device, const struct tensor *tensor) {
    return device->rules->runs[op_of(tensor)];
}

static bool device_reads(struct device *device, struct type *type) {
    return device->rules->reads[type->rules->number];
}

static bool device_offloads(struct device *device, const struct tensor *tensor) {
    return device->rules->offloads[op_of(tensor)];
}

static struct event *device_new_event(struct device *device) {
    if (!device->rules->has_events) {
        return NULL;
    }
    struct event *event = malloc(sizeof *event);
    event->device = device;
    event->number = (void *) (intptr_t) device->rules->events_made++;
    return event;
}

static void device_free_event(struct device *device, struct event *event) {
    /* Numbers go up in the order events are made; one that is made and freed at once leaves no gap. */
    if ((int) (intptr_t) event->number == device->rules->events_made - 1) {
        device->rules->events_made--;
    }
    free(event);
}

static void device_wait_for_event(struct device *device, struct event *event) {
    (void) device;
    if (recording) {
        take_down(EVENT_SYNC, NULL, event, NULL, NULL);
    }
}

struct device *noop_new_device(
        const char *name, int number, int kind, struct type *type, bool copies_async, bool has_events,
        const uint8_t *runs, const uint8_t *offloads, const uint8_t *reads) {
    struct device *device = calloc(1, sizeof *device);
    struct device_rules *rules = calloc(1, sizeof *rules);
    device->rules = rules;
    strncpy(rules->name, name, sizeof rules->name - 1);
    rules->number = number;
    rules->kind = kind;
    rules->type = type;
    rules->copies_async = copies_async;
    rules->has_events = has_events;
    memcpy(rules->runs, runs, OPS);
    memcpy(rules->offloads, offloads, OPS);
    memcpy(rules->reads, reads, TYPES);
    device->call.name = device_name;
    device->call.description = device_name;
    device->call.memory = device_memory;
    device->call.kind = device_kind;
    device->call.type = device_type;
    device->call.runs = device_runs;
    device->call.reads = device_reads;
    device->call.offloads = device_offloads;
    device->call.new_event = device_new_event;
    device->call.free_event = device_free_event;
    device->call.wait_for_event = device_wait_for_event;
    return device;
}

void noop_free_device(struct device *device) {
    free(device->rules);
    free(device);
}

/* Backends. */

static const char *stream_name(struct stream *stream) {
    return stream->device->rules->name;
}

static void stream_release(struct stream *stream) {
    free(stream);
}

static bool stream_copy(struct stream *from, struct stream *to, const struct tensor *source, struct tensor *copy) {
    if (!from->device->rules->copies_async || !to->device->rules->copies_async) {
        return false;
    }
    if (recording) {
        take_down(COPY_ASYNC, NULL, NULL, source, copy);
    }
    return true;
}

static void stream_finish(struct stream *stream) {
    if (recording) {
        take_down(SYNC, stream->device, NULL, NULL, NULL);
    }
}

static int stream_compute(struct stream *stream, struct graph *graph) {
    if (recording) {
        take_down(COMPUTE, stream->device, NULL, NULL, NULL);
        for (int i = 0; i < graph->node_count; i++) {
            take_down(NODE, stream->device, NULL, graph->nodes[i], NULL);
        }
    }
    return 0;
}

static void stream_record(struct stream *stream, struct event *event) {
    if (recording) {
        take_down(EVENT_RECORD, stream->device, event, NULL, NULL);
    }
}

static void stream_await(struct stream *stream, struct event *event) {
    if (recording) {
        take_down(EVENT_WAIT, stream->device, event, NULL, NULL);
    }
}

struct stream *noop_open(struct device *device) {
    static uint8_t guid[16] = "stowage no-op";
    struct stream *stream = calloc(1, sizeof *stream);
    stream->guid = guid;
    stream->device = device;
    stream->call.name = stream_name;
    stream->call.release = stream_release;
    stream->call.copy = stream_copy;
    stream->call.finish = stream_finish;
    stream->call.compute = stream_compute;
    stream->call.record = stream_record;
    stream->call.await = stream_await;
    return stream;
}

/* ggml changes the sources of nodes; these take them down, and put them back. */

void noop_save(struct tensor **tensors, size_t count, size_t bytes, char *saved) {
    for (size_t i = 0; i < count; i++) {
        memcpy(saved + i * bytes, tensors[i], bytes);
    }
}

void noop_restore(struct tensor **tensors, size_t count, size_t bytes, const char *saved) {
    for (size_t i = 0; i < count; i++) {
        memcpy(tensors[i], saved + i * bytes, bytes);
    }
}
