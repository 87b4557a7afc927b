#include "control.h"

#include "context.h"
#include "lens.h"
#include "memory.h"
#include "streams.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace sim {
namespace {

struct Key {
    const char *name;
    long long Settings::*value;
};
const Key keys[] = {
    {"devices", &Settings::devices}, {"memory", &Settings::memory}, {"driver", &Settings::driver},
    {"capability", &Settings::capability}, {"multiprocessors", &Settings::multiprocessors},
    {"init_error", &Settings::init_error}, {"busy", &Settings::busy}, {"damaged_image", &Settings::damaged_image},
    {"graphs", &Settings::graphs},
    {"lazy", &Settings::lazy}, {"seed", &Settings::seed}, {"order", &Settings::order},
    {"protect", &Settings::protect}, {"guard_each_launch", &Settings::guard_each_launch},
    {"fail_alloc", &Settings::fail_alloc}, {"fail_host_alloc", &Settings::fail_host_alloc},
    {"fail_launch", &Settings::fail_launch}, {"fail_copy", &Settings::fail_copy},
    {"fail_synchronise", &Settings::fail_synchronise}, {"launch_error", &Settings::launch_error},
    {"quiet", &Settings::quiet}, {"abort", &Settings::abort},
};

struct Count {
    const char *name;
    long long Counters::*value;
};
const Count counts[] = {
    {"launches", &Counters::launches}, {"graph_launches", &Counters::graph_launches},
    {"allocations", &Counters::allocations},
    {"host_allocations", &Counters::host_allocations}, {"copies", &Counters::copies},
    {"host_to_device", &Counters::host_to_device}, {"device_to_host", &Counters::device_to_host},
    {"device_to_device", &Counters::device_to_device}, {"memsets", &Counters::memsets},
    {"synchronisations", &Counters::synchronisations}, {"injected", &Counters::injected},
    {"findings", &Counters::findings},
};

[[noreturn]] void wrong_setting(const std::string &what)
{
    fprintf(stderr, "simulated GPU: GROVE_SIM or GROVE_SIM_ORDER: %s\n", what.c_str());
    ::abort();
}

bool set(Settings &s, const std::string &key, long long value)
{
    for (const Key &k : keys)
        if (key == k.name) {
            s.*k.value = value;
            return true;
        }
    return false;
}

// "forward", "reverse", "shuffled" or "shuffled:SEED".
bool set_order(Settings &s, const std::string &text)
{
    if (text == "forward") s.order = 0;
    else if (text == "reverse") s.order = 1;
    else if (text.rfind("shuffle", 0) == 0) {
        s.order = 2;
        if (size_t colon = text.find(':'); colon != std::string::npos) s.seed = atoll(text.c_str() + colon + 1);
    } else return false;
    return true;
}

bool set_text(Settings &s, const std::string &key, const std::string &text)
{
    if (key == "order" && set_order(s, text)) return true;
    if (key == "log") {
        s.log = text;
        return true;
    }
    char *end = nullptr;
    long long value = strtoll(text.c_str(), &end, 10);
    return !text.empty() && *end == 0 && set(s, key, value);
}

Settings from_environment()
{
    Settings s;
    if (const char *order = getenv("GROVE_SIM_ORDER"); order && *order && !set_order(s, order))
        wrong_setting(std::string("unknown order ") + order + " (forward, reverse, shuffled, shuffled:SEED)");
    const char *all = getenv("GROVE_SIM");
    std::istringstream items(all ? all : "");
    for (std::string item; std::getline(items, item, ',');) {
        size_t equals = item.find('=');
        if (equals == std::string::npos || !set_text(s, item.substr(0, equals), item.substr(equals + 1)))
            wrong_setting("unknown setting " + item);
    }
    return s;
}

std::string last_finding;

void tell(const char *format, va_list arguments)
{
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    last_finding = line;
    counters().findings++;
    if (!settings().quiet) fprintf(stderr, "simulated GPU: %s\n", line);
    if (!settings().log.empty())
        if (FILE *f = fopen(settings().log.c_str(), "a")) {
            fprintf(f, "%s\n", line);
            fclose(f);
        }
    if (settings().abort) ::abort();
}

} // namespace

Settings &settings()
{
    static Settings s = from_environment();
    return s;
}

Counters &counters()
{
    static Counters c;
    return c;
}

long long single_exponentials, double_exponentials;

bool injected(long long &nth)
{
    if (nth == 0) return false;
    bool now = nth == 1 || nth == -1;
    if (nth > 0) nth--;
    else if (nth < -1) nth++; // -1 stays: every call from here on fails
    counters().injected += now;
    return now;
}

void finding(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}

CUresult fault(CUresult error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
    break_context(error);
    return error;
}

CUresult misuse(CUresult error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
    return error;
}

unsigned long long Random::next()
{
    unsigned long long z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

} // namespace sim

using namespace sim;

// grove_sim_set changes a setting; 0, or -1 for a key that does not exist.
EXPORT int grove_sim_set(const char *key, long long value)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (set(settings(), key, value)) return 0;
    finding("grove_sim_set: there is no setting %s", key);
    return -1;
}

// grove_sim_set_text changes a setting given as text: order, log, or any number.
EXPORT int grove_sim_set_text(const char *key, const char *text)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (set_text(settings(), key, text)) return 0;
    finding("grove_sim_set_text: there is no setting %s=%s", key, text);
    return -1;
}

// grove_sim_get reads a setting, a counter ("launches", "launches.NAME" of a kernel, ...) or what is alive:
// live_allocations, live_bytes, live_host_allocations, live_contexts, live_streams, live_events,
// live_modules, live_graphs (instantiated ones as well), queued (operations that wait in streams), leaks (all that is
// alive, counted).
// "check" examines all guards and freed memory now and returns the number of new findings.
EXPORT long long grove_sim_get(const char *key)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    std::string name = key;
    for (const Key &k : keys)
        if (name == k.name) return settings().*k.value;
    for (const Count &c : counts)
        if (name == c.name) return counters().*c.value;
    if (name.rfind("launches.", 0) == 0) {
        auto found = counters().launches_of.find(name.substr(9));
        return found == counters().launches_of.end() ? 0 : found->second;
    }
    if (name == "single_exponentials") return single_exponentials;
    if (name == "double_exponentials") return double_exponentials;
    if (name == "live_allocations") return memory().live();
    if (name == "live_bytes") return memory().live_bytes();
    if (name == "live_host_allocations") return memory().live_host();
    if (name == "live_contexts") return live(Handle::context);
    if (name == "live_modules") return live(Handle::module);
    if (name == "live_streams") return live(Handle::stream);
    if (name == "live_events") return live(Handle::event);
    if (name == "live_graphs") return live(Handle::graph) + live(Handle::graph_exec);
    if (name == "queued") return queued_operations();
    if (name == "leaks")
        return memory().live() + memory().live_host() + live(Handle::context) + live(Handle::module) +
               live(Handle::stream) + live(Handle::event) + live(Handle::graph) + live(Handle::graph_exec);
    if (name == "check") {
        long long before = counters().findings;
        memory().check_all("grove_sim_get(\"check\")");
        return counters().findings - before;
    }
    finding("grove_sim_get: there is no key %s", key);
    return -1;
}

// grove_sim_text reads "finding" (the last one, or ""), "leaks" (what is alive, one item a line) or "lens" (what the
// lens counted and found since this was read last, as JSON; "" without a lens). The text is valid until the next call.
EXPORT const char *grove_sim_text(const char *key)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    static std::string text;
    if (!strcmp(key, "finding")) text = last_finding;
    else if (!strcmp(key, "leaks")) text = memory().describe_live() + describe_handles();
    else if (!strcmp(key, "log")) text = settings().log;
    else if (!strcmp(key, "lens")) {
        text.clear();
        LENS(report(text));
    } else {
        finding("grove_sim_text: there is no key %s", key);
        text.clear();
    }
    return text.c_str();
}

// grove_sim_reset puts the settings back to those at the start, clears counters, findings and the errors of
// contexts. What is alive stays alive, what is queued stays queued.
EXPORT void grove_sim_reset(void)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    settings() = from_environment();
    counters() = Counters();
    single_exponentials = double_exponentials = 0;
    last_finding.clear();
    mend_contexts();
    reseed_streams();
}
