import BelfryTestSupport
import Foundation
import Testing

/// Sends one event after the other, each until it is acknowledged, while the server may be unavailable; returns their
/// ids.
func sendEvents(from device: DeviceCaller, until over: Latch<Void>) async throws -> [String] {
    var ids: [String] = []
    while over.current == nil {
        let id = UUID().uuidString
        let event = WireEvent.custom("tapped", id: id)
        // Each look is something new: an outage may last longer than a minute on a busy machine.
        var looks = 0
        try await eventually("an event is taken", every: .milliseconds(20)) {
            looks += 1
            return (isTaken: try await isTaken(event, from: device), look: looks)
        } until: {
            $0.isTaken
        }
        ids.append(id)
    }
    return ids
}

/// False if the server is unavailable at the moment. Any other rejection is an error.
private func isTaken(_ event: WireEvent, from device: DeviceCaller) async throws -> Bool {
    let response = try await device.attempt([event])
    if response.status == 503 { return false }
    #expect(response.status == 204, "\(String(decoding: response.body, as: UTF8.self))")
    return true
}
