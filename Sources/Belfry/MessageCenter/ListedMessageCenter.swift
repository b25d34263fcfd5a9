import BelfryModel
import BelfryWire

/// A message center that the server has listed for the app (MC-2).
///
/// ```swift
/// for center in try await client.messageCenters { print(center.title) }
/// ```
public struct ListedMessageCenter: Identifiable, Hashable, Sendable {
    /// The name for calls such as ``BelfryClient/messages(in:)``.
    public let name: String
    /// The text to show instead of the name, as the app's operators wrote it; nil when there is none.
    public let label: String?

    /// Creates a center for previews and tests.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label
    }
}

extension ListedMessageCenter {
    /// The name.
    public var id: String { name }
    /// The text to show: the label, else the name.
    public var title: String { label ?? name }
}

extension ListedMessageCenter {
    /// The centers of a response, in its order; no Belfry server lists more, or sends longer labels.
    static func all(of response: MessageCentersResponse) -> [ListedMessageCenter] {
        response.messageCenters.prefix(MessageCenterReading.maximumCenters).map { center in
            let label = center.label.map { String($0.prefix(MessageCenterLimits.maximumLabelLength)) }
            return ListedMessageCenter(name: center.name, label: label)
        }
    }

    /// The labels by name.
    static func labels(of centers: [ListedMessageCenter]) -> [String: String] {
        let named = centers.compactMap { center in center.label.map { (center.name, $0) } }
        return Dictionary(named, uniquingKeysWith: { first, _ in first })
    }
}
