import Foundation

/// Centres have new messages (MC-11).
public struct MessageCenterUpdate: Hashable, Sendable {
    /// The names of the centres that have messages which this device did not have before, in alphabetical order.
    public let centers: [String]

    /// Names the centres.
    public init(centers: [String]) {
        self.centers = centers
    }
}

/// A fetch of messages as it was answered (MC-11).
public struct MessageCenterResponse: Hashable, Sendable {
    /// The body of the answer, JSON in UTF-8.
    public let json: Data
    /// The address that was asked.
    public let url: URL

    /// Takes the answer's body and the address that was asked.
    public init(json: Data, url: URL) {
        self.json = json
        self.url = url
    }
}
