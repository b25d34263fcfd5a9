import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Message centres, rich content and the badge (WIRE-10 to WIRE-12, WIRE-15).
extension DeviceRequests {
    /// All centres, and the badge with them.
    func centers() -> TransportRequest {
        request("GET", "/client/message-centers", body: nil)
    }

    func center(_ name: String) -> TransportRequest {
        request("GET", "/client/message-centers/\(WireURL.encoded(name))/messages", body: nil)
    }

    /// - Parameter key: the same for every repetition: a lost answer can be asked for again.
    func richContent(of id: String, key: String) -> TransportRequest {
        request(
            "GET", "/client/messages/\(WireURL.encoded(id))/rich-content", body: nil,
            also: [HeaderNames.idempotencyKey: key]
        )
    }

    func messageState(_ pending: PendingMessageState, reference: String?) throws(BelfryError) -> TransportRequest {
        let body = MessageStateRequest(state: pending.state, contact: reference)
        return try request("PUT", "/client/messages/\(WireURL.encoded(pending.id))/state", body)
    }

    func badge() -> TransportRequest {
        request("GET", "/client/badge", body: nil)
    }

    func putBadge(_ count: Int, revision: Int64) throws(BelfryError) -> TransportRequest {
        try request("PUT", "/client/badge", BadgeRequest(count: count, revision: revision))
    }
}
