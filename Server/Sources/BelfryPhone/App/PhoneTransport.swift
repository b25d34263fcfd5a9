import Belfry
import Foundation

/// The phone's network: it fails in airplane mode, and waits while the app is suspended. It notes every exchange for
/// the inspector.
struct PhoneTransport: Transport {
    let network: any Transport
    let gate: ProcessGate
    let isOnline: @Sendable () -> Bool
    let note: @Sendable (TransportRequest, Exchange, TransportResponse?) -> Void
    let now: @Sendable () -> Date

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await gate.pass()
        let start = now()
        do {
            let response = try await exchange(request)
            note(request, Exchange(request, response, from: start, to: now()), response)
            return response
        } catch {
            note(request, Exchange(request, failure: error, from: start, to: now()), nil)
            throw error
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        guard isOnline() else { throw NoNetwork() }
        let response = try await network.send(request)
        // The response is lost if the phone has gone offline meanwhile, and waits if the app was suspended.
        guard isOnline() else { throw NoNetwork() }
        try await gate.pass()
        return response
    }
}
