import BelfryModel
import BelfryWire

/// A message centre that the server has listed for the app (MC-2).
///
/// ```swift
/// for center in try await client.messageCenters { print(center.title) }
/// ```
public struct ListedMessageCenter: Identifiable, Hashable, Sendable {
    /// By which the app asks for its messages (``BelfryClient/messages(in:)``).
    public let name: String
    /// What people are to see in the place of the name, as the app's operators wrote it; nil when they wrote nothing.
    public let label: String?

    /// Makes a centre by hand, for previews and tests.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label
    }
}

extension ListedMessageCenter {
    /// The name.
    public var id: String { name }
    /// What people are to see: the label, else the name.
    public var title: String { label ?? name }
}

extension ListedMessageCenter {
    /// The centres of an answer, in its order; no Belfry server lists more, nor writes longer labels.
    static func all(of answer: MessageCentersAnswer) -> [ListedMessageCenter] {
        answer.messageCenters.prefix(CenterReading.maximumCenters).map { center in
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
