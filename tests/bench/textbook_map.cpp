// SPDX-License-Identifier: MIT
//
// textbook_map.cpp: a map from banks to sets of words, as one would write it first.
//
#include "textbook.h"

#include <algorithm>
#include <map>
#include <set>

unsigned textbook_map(const uint32_t offset_bytes[32], unsigned width_bytes, unsigned group_lanes) {
    unsigned wavefronts = 0;
    for (unsigned first = 0; first < 32; first += group_lanes) {
        std::map<uint32_t, std::set<uint32_t>> words_of_bank;
        std::size_t ways = 0;
        for (unsigned lane = first; lane < first + group_lanes; lane++) {
            for (unsigned byte = 0; byte < width_bytes; byte += 4) {
                uint32_t word = (offset_bytes[lane] + byte) / 4;
                words_of_bank[word % 32].insert(word);
            }
        }
        for (const auto &bank : words_of_bank)
            ways = std::max(ways, bank.second.size());
        wavefronts += static_cast<unsigned>(ways);
    }
    return wavefronts;
}

unsigned textbook_sectors(const uint64_t address_bytes[32]) {
    std::set<uint64_t> sectors;
    for (unsigned lane = 0; lane < 32; lane++)
        sectors.insert(address_bytes[lane] / 32);
    return static_cast<unsigned>(sectors.size());
}
