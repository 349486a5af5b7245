#ifndef CMIEN_SYSTEM_H
#define CMIEN_SYSTEM_H

// Calls of the system that Swift cannot make: one header for each use.
#include "CMienFolders.h"
#include "CMienPKCS11.h"
#include "CMienProcess.h"
#include "CMienSocket.h"
#include "CMienVectors.h"

#endif
