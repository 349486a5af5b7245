/// Told what journeys say, when ``Mien``'s calls do not wait for it.
@MainActor
public protocol MienDelegate: AnyObject {
    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>)
}

/// Told what came of one call: the form of Android's callbacks.
@MainActor
public protocol MienHandler {
    func success(_ response: MienServiceResponse)
    func failure(_ error: MienError)
}
