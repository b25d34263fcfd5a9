import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// Whom the preview of a draft shows.
package enum PreviewPerson: Hashable, Sendable {
    /// An invented person, who has a value for everything; those that were typed count instead. By the names that
    /// templates use.
    case invented([String: String])
    /// Somebody of whom these values alone are known.
    case knownBy([String: String])
    /// A contact by its key, with the values of its newest device.
    case contact(String)
}

/// What a draft says to one person: nothing has to be saved, and nobody needs to be known yet (CON-5).
package struct DraftPreview: Hashable, Sendable {
    /// A value that the draft's texts ask for.
    package struct Value: Hashable, Sendable {
        /// As templates write it.
        package let name: String
        /// Nil: the person has none.
        package let text: String?

        package init(name: String, text: String?) {
            self.name = name
            self.text = text
        }
    }

    /// What the texts ask of a person, each once.
    package var values: [Value]
    /// The language of the person; nil when it is not known.
    package var locale: String?
    /// The key of the variant that it gets; nil for the content itself.
    package var variant: String?
    /// With the person's own texts; with the templates as they are where they cannot be rendered. Nil when nothing is
    /// pushed.
    package var push: PushContent?
    /// What is kept in a message center, likewise.
    package var message: MessageCenterContent?
    /// What an in-app message says, likewise.
    package var inApp: InAppContent?
    /// Whether scripts in a marketer's own HTML run.
    package var allowsScripts: Bool
    /// Why a text cannot be rendered, in a sentence.
    package var problem: String?
}

/// Whom previews show when nobody is chosen.
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
