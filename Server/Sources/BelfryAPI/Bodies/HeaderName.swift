import BelfryWire
import Hummingbird

typealias HeaderName = HTTPFields.Element.Name

extension HeaderName {
    static let clientID = named(HeaderNames.clientID)
    static let clientState = named(HeaderNames.clientState)
    static let contactToken = named(HeaderNames.contactToken)
    static let requestOrder = named(HeaderNames.requestOrder)
    static let clientTime = named(HeaderNames.clientTime)
    static let idempotencyKey = named(HeaderNames.idempotencyKey)
    static let idempotencyReplayed = named("Idempotency-Replayed")
    static let v3Version = named("X-EMARSYS-SDK-VERSION")
    static let v3Mode = named("X-EMARSYS-SDK-MODE")
    static let forwardedFor = named("X-Forwarded-For")

    private static func named(_ name: String) -> HeaderName {
        // The wire's names are constants of letters and hyphens, which are valid in every header name.
        HeaderName(name)!
    }
}
