import Hummingbird

/// What Hummingbird keeps for one request.
struct ControlContext: RequestContext {
    /// Bytes of a body: a key in PEM and a few fields.
    static let bodyLimit = 16_384

    var coreContext: CoreRequestContextStorage

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    var maxUploadSize: Int { Self.bodyLimit }
}
