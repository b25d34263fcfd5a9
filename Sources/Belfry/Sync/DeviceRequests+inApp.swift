import BelfryModel
import Foundation

/// The sync of in-app messages (WIRE-9).
extension DeviceRequests {
    /// - Parameter cursor: what the last answer said; nil asks for everything.
    func inAppMessages(since cursor: String?) -> TransportRequest {
        let query = cursor.map { "?since=\(WireURL.encoded($0))" } ?? ""
        return request("GET", "/client/in-app-messages\(query)", body: nil)
    }
}
