// The comparisons of waits, numbered as by ACLSHMEM_CMP_EQ and the others.
#pragma once
#include <cstdint>

namespace a2agen {

enum Compare { EQ, NE, GT, GE, LT, LE };

inline bool holds(uint64_t found, int compare, uint64_t wanted)
{
    switch (compare) {
        case EQ:
            return found == wanted;
        case NE:
            return found != wanted;
        case GT:
            return found > wanted;
        case GE:
            return found >= wanted;
        case LT:
            return found < wanted;
        default:
            return found <= wanted;
    }
}

}  // namespace a2agen
