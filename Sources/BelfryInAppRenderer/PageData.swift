import BelfryModel
import Foundation

/// The data of the page's script, as JSON in the page.
struct PageData: Encodable {
    let type: InAppType
    let bridge: String
    let schemes: [String]
    /// Whether the marketer's script may run, so that it may close the message.
    let scripts: Bool
    var nonce: String?
    /// The actions of the buttons, by their ids, and of the message itself: only if the receiver does not know them.
    var actions: [String: InAppAction]?
    var action: InAppAction?

    init(_ content: InAppContent, type: InAppType, options: InAppPageOptions) {
        self.type = type
        scripts = options.allowsScripts
        schemes = options.linkSchemes.subtracting(InAppLinks.refusedSchemes).sorted()
        switch options.bridge {
        case .belfry(let nonce):
            bridge = "belfry"
            self.nonce = nonce
        case .v3:
            bridge = "v3"
            actions = Dictionary(
                (content.buttons ?? []).map { ($0.id, $0.action) }, uniquingKeysWith: { first, _ in first }
            )
            action = content.action
        case .preview:
            bridge = "preview"
        }
    }

    /// Escaped so that nothing in it ends its element, or has a meaning in HTML or in a script.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "", negativeInfinity: "", nan: ""
        )
        guard let data = try? encoder.encode(self) else { return "{}" }
        return ScriptData.escaped(data)
    }
}
