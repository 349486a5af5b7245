package dev.mien.android

/** Receives the end of a call without a result. */
interface OnFinishListener {
    fun onFinished()
    fun onFailed(throwable: Throwable)
}
