// Runs all tests of the simulator, or those named on the command line.
#include "checks.h"

#include <cstdlib>

int failures = 0;

std::vector<Test> &tests()
{
    static std::vector<Test> all;
    return all;
}

std::vector<unsigned char> image(int kind, int capability, int major, int minor)
{
    struct {
        unsigned magic = 0xba55ed50;
        unsigned short version = 1, header_bytes = 16;
        unsigned long long bytes = 64 + 8;
        unsigned short kind, entry_version = 0x101;
        unsigned entry_bytes = 64;
        unsigned long long payload_bytes = 8;
        unsigned compressed_bytes = 0, options = 0;
        unsigned short minor, major;
        unsigned capability;
        unsigned char rest[32] = {};
        unsigned char payload[8] = {};
    } f;
    f.kind = (unsigned short)kind;
    f.capability = unsigned(capability);
    f.major = (unsigned short)major;
    f.minor = (unsigned short)minor;
    auto *p = reinterpret_cast<unsigned char *>(&f);
    return {p, p + sizeof f};
}

Device::Device()
{
    CUdevice d;
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate_v2(&context, 0, d));
    OK(cuModuleLoadData(&module, image().data()));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

Device::~Device()
{
    if (context) cuCtxDestroy(context);
}

CUfunction Device::function(const char *name)
{
    CUfunction f = nullptr;
    OK(cuModuleGetFunction(&f, module, name));
    return f;
}

void expect_finding(CUresult error, std::initializer_list<const char *> words)
{
    EXPECT_RESULT(cuCtxSynchronize(), error);
    const std::string text = grove_sim_text("finding");
    for (const char *word : words)
        if (text.find(word) == std::string::npos) {
            printf("the finding \"%s\" does not say \"%s\"\n", text.c_str(), word);
            failures++;
        }
    EXPECT(grove_sim_get("findings") > 0);
}

int main(int n, char **names)
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (cuInit(0) != CUDA_SUCCESS) return 2;
    int failed = 0, ran = 0;
    for (const Test &t : tests()) {
        bool wanted = n == 1;
        for (int i = 1; i < n; i++) wanted |= !strcmp(names[i], t.name);
        if (!wanted) continue;
        grove_sim_reset();
        grove_sim_set("quiet", 1);
        failures = 0;
        t.run();
        ran++;
        if (long long left = grove_sim_get("leaks")) {
            printf("left behind:\n%s", grove_sim_text("leaks"));
            failures += int(left);
        }
        if (failures) printf("FAIL %s\n", t.name);
        failed += failures != 0;
    }
    printf("%d of %d tests failed\n", failed, ran);
    return failed != 0 || ran == 0;
}
