/* <helper_cuda.h> and <helper_timer.h> of the CUDA samples, as far as programs outside them use
 * them: the host's side is parsed, never run. */
#pragma once

#define checkCudaErrors(call) ((void)(call))
#define getLastCudaError(message) ((void)cudaGetLastError())

int findCudaDevice(int argc, const char **argv);
int gpuGetMaxGflopsDeviceId();
int gpuDeviceInit(int device);
int _ConvertSMVer2Cores(int major, int minor);

struct StopWatchInterface;
bool sdkCreateTimer(StopWatchInterface **timer);
bool sdkDeleteTimer(StopWatchInterface **timer);
bool sdkStartTimer(StopWatchInterface **timer);
bool sdkStopTimer(StopWatchInterface **timer);
bool sdkResetTimer(StopWatchInterface **timer);
float sdkGetTimerValue(StopWatchInterface **timer);
float sdkGetAverageTimerValue(StopWatchInterface **timer);
