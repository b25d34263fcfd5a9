import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// What accompanies a request on its way; middleware puts the caller in.
package struct APIRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    let peer: Peer
    /// Set by ``DeviceAuthMiddleware``.
    var caller: Caller?
    /// Set by ``AdminAuthMiddleware``.
    var principal: AdminPrincipal?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = Peer(channel: source.channel)
    }

    package var maxUploadSize: Int { WireLimits.maximumBodyBytes }

    /// The address that a call counts for; nil when it is not counted.
    package func network(of request: Request, limits: RequestLimits) -> IPAddress? {
        limits.network(peer: peer.address, forwardedFor: request.headers[.forwardedFor])
    }

    /// Calls back once the caller closes the connection or its side of it.
    ///
    /// - Returns: ends the watch.
    package func onDeparture(_ departed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        peer.onDeparture(departed)
    }
}

/// A request to the device API: its caller is known by name.
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

/// A request to the admin API: its key was checked.
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
    /// A part of the path, percent-decoded: a contact key may hold anything, slashes too, but the null character, which
    /// no name has and not every database takes. Two addresses name one person only if they say the same bytes.
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
