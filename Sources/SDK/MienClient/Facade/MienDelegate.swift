/// Receives the results of ``Mien``'s calls that are not awaited.
@MainActor
public protocol MienDelegate: AnyObject {
    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>)
}

/// Receives the result of one call, in the form of Android's callbacks.
@MainActor
public protocol MienHandler {
    func success(_ response: MienServiceResponse)
    func failure(_ error: MienError)
}
