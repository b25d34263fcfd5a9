import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation

extension WireEvent {
    /// A custom event that happens now.
    static func custom(
        _ name: String, id: String, attributes: [String: AttributeValue] = [:]
    ) -> WireEvent {
        WireEvent(
            id: id, type: "custom", name: name, timestamp: Timestamp.text(Date()), attributes: attributes
        )
    }
}
