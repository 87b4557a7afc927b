#include "image.h"

#include "control.h"

#include <cstdint>
#include <cstring>

namespace sim {
namespace {

// A fatbin is a header and entries, each a header and a payload; sizes in bytes.
struct Header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; // of all entries
};
struct Entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major; // of the PTX version, or of the format of machine code
    uint32_t capability;   // 10 major + minor
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 32, "the format is fixed");

constexpr uint32_t fatbin_magic = 0xba55ed50, wrapper_magic = 0x466243b1;
constexpr uint16_t ptx = 1, machine_code = 2;

// newest_ptx returns the newest PTX version, 10 major + minor, that a driver compiles.
int newest_ptx(long long driver)
{
    static const struct { int driver, version; } since[] = {
        {9000, 60},  {9010, 61},  {9020, 62},  {10000, 63}, {10010, 64}, {10020, 65}, {11000, 70},
        {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77},
        {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
        {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90},
    };
    int newest = 0;
    for (auto s : since)
        if (driver >= s.driver) newest = s.version;
    return newest;
}

} // namespace

CUresult check_image(const void *image)
{
    if (!image || settings().damaged_image) return CUDA_ERROR_INVALID_IMAGE;
    Header h;
    memcpy(&h, image, sizeof h);
    if (h.magic == wrapper_magic) {
        memcpy(&image, static_cast<const char *>(image) + 8, sizeof image);
        memcpy(&h, image, sizeof h);
    }
    if (h.magic != fatbin_magic || h.version != 1 || h.header_bytes != sizeof h || h.bytes < sizeof(Entry))
        return CUDA_ERROR_INVALID_IMAGE;
    const auto *bytes = static_cast<const unsigned char *>(image) + sizeof h;
    const auto capability = uint32_t(settings().capability);
    bool fits = false, too_new = false;
    for (uint64_t at = 0; at < h.bytes;) {
        if (h.bytes - at < sizeof(Entry)) return CUDA_ERROR_INVALID_IMAGE;
        Entry e;
        memcpy(&e, bytes + at, sizeof e);
        const uint64_t left = h.bytes - at;
        if (e.header_bytes < sizeof e || e.header_bytes > left || e.payload_bytes == 0 ||
            e.payload_bytes > left - e.header_bytes || e.compressed_bytes > e.payload_bytes)
            return CUDA_ERROR_INVALID_IMAGE;
        if (e.kind == ptx && e.capability <= capability) {
            const bool known = e.major * 10 + e.minor <= newest_ptx(settings().driver);
            fits |= known;
            too_new |= !known;
        }
        // Machine code runs on its own major capability from its minor one on, with drivers that know its format.
        if (e.kind == machine_code && e.capability / 10 == capability / 10 && e.capability <= capability &&
            settings().driver >= 11000)
            fits = true;
        at += e.header_bytes + e.payload_bytes;
    }
    if (fits) return CUDA_SUCCESS;
    return too_new ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

} // namespace sim
