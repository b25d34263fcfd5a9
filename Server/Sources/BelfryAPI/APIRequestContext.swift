import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// The context of a request. Middleware sets the caller or the principal.
package struct APIRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    let peer: Peer
    /// The device that calls; set by ``DeviceAuthMiddleware``.
    var caller: Caller?
    /// The admin key that calls; set by ``AdminAuthMiddleware``.
    var principal: AdminPrincipal?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = Peer(channel: source.channel)
    }

    package var maxUploadSize: Int { WireLimits.maximumBodyBytes }

    /// The address whose limits the call counts against; nil when the call is not counted.
    package func network(of request: Request, limits: RequestLimits) -> IPAddress? {
        limits.network(peer: peer.address, forwardedFor: request.headers[.forwardedFor])
    }

    /// Calls `departed` once the caller closes the connection or its side of it.
    ///
    /// - Returns: a function that ends the watch.
    package func onDeparture(_ departed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        peer.onDeparture(departed)
    }
}

/// The context of a request to the device API: the caller is known.
struct DeviceRequestContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: Peer
    let caller: Caller

    init(context: APIRequestContext) throws {
        guard let caller = context.caller else { throw APIError.internalError }
        coreContext = context.coreContext
        peer = context.peer
        self.caller = caller
    }
}

/// The context of a request to the admin API: the key was checked.
struct AdminRequestContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: Peer
    let principal: AdminPrincipal

    init(context: APIRequestContext) throws {
        guard let principal = context.principal else { throw APIError.internalError }
        coreContext = context.coreContext
        peer = context.peer
        self.principal = principal
    }
}

extension RequestContext {
    /// A part of the path, percent-decoded. A contact key may contain anything, including slashes. Only the null
    /// character is rejected: no name contains it, and not every database stores it. Two addresses name the same person
    /// only if their bytes are equal.
    func pathParameter(_ name: String) throws(APIError) -> String {
        guard let text = parameters.get(name).flatMap(WireURL.decoded), !text.utf8.contains(0) else {
            throw APIError(
                .badRequest, ErrorCode.badRequest,
                "A part of the URL is not percent-encoded UTF-8, or contains the null character.", target: name
            )
        }
        return text
    }
}
