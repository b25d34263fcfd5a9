import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// The person for whom a preview of a draft is made.
package enum PreviewPerson: Hashable, Sendable {
    /// An invented person with a value for every variable. Typed values, by the names that templates use, replace the
    /// invented ones.
    case invented([String: String])
    /// A person of whom only these values are known, by the names that templates use.
    case knownBy([String: String])
    /// The contact with this key, with the values of its newest device.
    case contact(String)
}

/// A draft as one person would see it. The draft need not be saved, and the person need not exist (CON-5).
package struct DraftPreview: Hashable, Sendable {
    /// A value that the draft's texts use.
    package struct Value: Hashable, Sendable {
        /// The variable's name, as templates write it.
        package let name: String
        /// The value; nil if the person has none.
        package let text: String?

        package init(name: String, text: String?) {
            self.name = name
            self.text = text
        }
    }

    /// The values that the texts use, each once.
    package var values: [Value]
    /// The person's language; nil if it is not known.
    package var locale: String?
    /// The key of the variant that the person gets; nil for the default content.
    package var variant: String?
    /// The push with the person's own texts, or with unrendered templates where they cannot be rendered. Nil if nothing
    /// is pushed.
    package var push: PushContent?
    /// The message center message, rendered as ``push`` is. Nil if no message is kept.
    package var message: MessageCenterContent?
    /// The in-app message's content, rendered as ``push`` is. Nil without an in-app message.
    package var inApp: InAppContent?
    /// Whether scripts in the marketer's own HTML run.
    package var allowsScripts: Bool
    /// Why a text cannot be rendered, in a sentence.
    package var problem: String?
}

/// The person whom previews show by default.
enum InventedPerson {
    static func value(of variable: TemplateVariable, schema: [String: AttributeType]) -> String {
        switch variable {
        case .attribute(let name):
            switch schema[name] {
            case .number: "3"
            case .boolean: "true"
            case .date: "2026-12-01T09:00:00.000Z"
            case .string, nil: name.lowercased().utf8.suffix(4).elementsEqual("name".utf8) ? "Ann" : name
            }
        case .contactKey: "ann@example.com"
        case .party(let part): part == .type ? "PERSON" : part == .name ? "EMAIL" : "ann@example.com"
        case .device(let property):
            switch property {
            case .platform: "ios"
            case .osVersion: "18.2"
            case .appVersion: "1.0"
            case .sdkVersion: "1.0.0"
            case .deviceModel: "iPhone"
            case .locale: "en"
            case .timeZone: "Europe/Paris"
            }
        }
    }
}
