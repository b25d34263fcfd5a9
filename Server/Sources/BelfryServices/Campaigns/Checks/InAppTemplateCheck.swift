import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// Compiles the texts of an in-app message and of its variants, and checks what its HTML can become (CAMP-4, SEC-4).
struct InAppTemplateCheck {
    /// The message without excess entries.
    let message: InAppDraft
    /// Whether the message may contain the marketer's own scripts (IAM-12).
    let allowsScripts: Bool
    let texts: TextCompiler

    func check(_ errors: inout FieldErrors) {
        for key in [nil] + (message.variants ?? [:]).keys.sorted() as [String?] {
            do throws(TemplateErrors) {
                _ = try InAppTemplate(message.variant(key), allowsScripts: allowsScripts, texts: texts)
            } catch {
                errors.reject(error) { field(of: $0, variant: key) }
            }
        }
    }

    /// The field of an error in a variant; nil for a part that the variant takes from the content, because the
    /// content's own errors report it.
    private func field(of part: String, variant key: String?) -> String? {
        guard let key else {
            return part.utf8.starts(with: "defaults.".utf8) ? "inApp.\(part)" : "inApp.content.\(part)"
        }
        let field = "inApp.variants.\(key.prefix(64))"
        guard let variant = message.variants?[key] else { return nil }
        if variant.parts.contains(part) { return "\(field).\(part)" }
        for (index, button) in (message.content.buttons ?? []).enumerated() where part == "buttons[\(index)].text" {
            return variant.buttons?[button.id].map { _ in "\(field).buttons.\(button.id.prefix(64))" }
        }
        return nil
    }
}
