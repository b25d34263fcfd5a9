import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// Identifies the caller by the path and the headers of a device's request (WIRE-20, WIRE-21). An unknown app is
/// reported before every other error (WIRE-22). A caller that calls too often is rejected: an authenticated device
/// counts by itself, all others count for their address (SEC-2).
struct DeviceAuthMiddleware: RouterMiddleware {
    let apps: AppService
    let limits: RequestLimits
    let authentication: CallerAuthentication
    let now: @Sendable () -> Date

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let app = try await apps.find((try? context.pathParameter("appCode")) ?? "")
        let client = try clientID(request.headers)
        let sent = request.headers[.requestOrder]
        let now = now()
        var caller = Caller(
            app: app,
            client: client,
            state: request.headers[.clientState],
            token: request.headers[.contactToken],
            order: .init(header: sent, now: now, maximumAhead: WireLimits.maximumClockAheadSeconds),
            clockOffset: .init(time: request.headers[.clientTime], order: sent, now: now)
        )
        caller.v3 = V3Caller(version: request.headers[.v3Version], mode: request.headers[.v3Mode])
        caller.shown = authentication.installation(shownBy: caller)
        caller.network = limits.network(peer: context.peer.address, forwardedFor: request.headers[.forwardedFor])
        try count(caller, as: caller.kind(of: ExpressCall.find(request.method, request.uri.path)?.call))
        context.caller = caller
        return try await next(request, context)
    }

    private func count(_ caller: Caller, as kind: RequestLimits.CallKind) throws(ServiceError) {
        if let shown = caller.shown {
            return try limits.admit(caller.client, of: caller.app, showing: shown, as: kind)
        }
        try limits.admitUnauthenticated(
            naming: caller.client, of: caller.app, from: limits.newDeviceQuota(of: caller.network))
    }

    private func clientID(_ headers: HTTPFields) throws(APIError) -> DeviceID {
        guard let text = headers[.clientID], !text.isEmpty else {
            throw .missing(HeaderNames.clientID, "The header \(HeaderNames.clientID) is the installation's id.")
        }
        // Two client ids, joined by a comma, would also look like an id.
        guard headers[values: .clientID].count == 1 else {
            throw APIError(
                .badRequest, "invalidDeviceId", "The header \(HeaderNames.clientID) may be sent only once.",
                target: HeaderNames.clientID
            )
        }
        do {
            return try DeviceID(text)
        } catch {
            throw APIError(.badRequest, error.code, error.message, target: HeaderNames.clientID)
        }
    }
}

extension Caller {
    /// The limit that the call counts against.
    func kind(of call: ExpressCall?) -> RequestLimits.CallKind {
        guard v3 != nil, case .events? = call else { return .ordinary }
        return .backlog
    }
}

/// Tells an erased device that it was erased, with or without a valid token (REG-36). It asks the store only after a
/// call was rejected because of its token, because it may not link, or because the device is erased.
struct ErasedDeviceMiddleware: RouterMiddleware {
    let clients: ClientService

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            guard Self.mayBeErasure(error), let caller = context.caller,
                let erasure = try await clients.erasure(of: caller)
            else { throw error }
            var answer = APIError(erasure.error, surface: .device)
            if let state = erasure.state { answer.headers[.clientState] = state }
            throw answer
        }
    }

    /// Whether the error says that the device is erased, or the caller was rejected before its device was looked up.
    private static func mayBeErasure(_ error: any Error) -> Bool {
        guard let error = error as? ServiceError else { return (error as? APIError)?.status == .forbidden }
        return switch error {
        case .unauthorized, .forbidden: true
        default: error == Erasure.error
        }
    }
}
