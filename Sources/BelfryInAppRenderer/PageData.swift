import BelfryModel
import Foundation

/// What the page's script is told, as JSON in the page.
struct PageData: Encodable {
    let type: InAppType
    let bridge: String
    let schemes: [String]
    /// Whether the marketer's script may run, so that it may close the message.
    let scripts: Bool
    var nonce: String?
    /// What buttons do, by their ids, and the message itself: only where nobody else knows it.
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

    /// Nothing in it ends the element that it stands in, or means anything to HTML or to a script.
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
