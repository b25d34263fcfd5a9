import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel

/// Compiles the texts of a push and of its variants, and checks their size (CAMP-4, PUSH-1 to PUSH-3).
struct PushTemplateCheck {
    /// The push without excess entries.
    let push: PushContent
    let extras: PushExtras
    let texts: TextCompiler

    func checkNotification(_ errors: inout FieldErrors) {
        // The size is reported only if there are no other errors.
        var isMeasured = errors.isEmpty
        if let template = compile(variant: nil, &errors), isMeasured,
            let error = sizeError(of: template.shortest, style: .alert)
        {
            errors.reject("push", error)
            // If the content is too large, so is every variant that does not replace its parts.
            isMeasured = false
        }
        // Otherwise each variant would be too large because of these shared pairs.
        guard push.custom?.exceeds(bytes: APNsPayloadTemplate.maximumBytes) != true else { return }
        for key in (push.variants ?? [:]).keys.sorted() {
            guard let template = compile(variant: key, &errors), isMeasured,
                let error = sizeError(of: template.shortest, style: .alert)
            else { continue }
            errors.reject("push.variants.\(key)", error)
        }
    }

    /// Compiles a silent push, if there are no other errors, and checks its size with room for the server's own reasons
    /// that it may carry (PUSH-7).
    func checkSilent(_ errors: inout FieldErrors) {
        guard errors.isEmpty, let template = compile(variant: nil, &errors),
            let error = sizeError(
                of: template.shortest, style: .silent, extras: PushExtras(SilentPushReasons.sayable.saidAlong))
        else { return }
        errors.reject("push", error)
    }

    /// The compiled content; nil if it does not compile, after the errors are added.
    private func compile(variant key: String?, _ errors: inout FieldErrors) -> ContentTemplate? {
        do throws(TemplateErrors) {
            return try ContentTemplate(push.variant(key), texts: texts)
        } catch {
            guard let key, let variant = push.variants?[key] else {
                errors.reject(error) { "push.\($0)" }
                return nil
            }
            let own = variant.parts
            errors.reject(error) { field in
                // For a part that the variant takes from the content, the content's own errors suffice. The part of
                // `buttons[0].text` is `buttons`.
                let part = String(Substring(field.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }))
                return own.contains(part) ? "push.variants.\(key).\(field)" : nil
            }
            return nil
        }
    }

    /// The error for content that is too large for every recipient. Content that is too large for a single recipient is
    /// reported in the ledger.
    ///
    /// - Parameter extras: nil for the campaign's own.
    private func sizeError(of content: PushContent, style: PushStyle, extras: PushExtras? = nil) -> ValueError? {
        let extras = extras ?? self.extras
        // The longest possible campaign number, so that content that fits now also fits when it is sent.
        guard let longest = CampaignID(CampaignID.maximum) else { return nil }
        do throws(PushRequestError) {
            let apns = try APNsPayloadTemplate(content: content, style: style, extras: extras, campaign: longest)
            let fcm = try FCMPayloadTemplate(content: content, style: style, extras: extras, campaign: longest)
            let webPush = try WebPushPayloadTemplate(content: content, style: style, extras: extras, campaign: longest)
            let sizes: [(service: String, size: Int, limit: Int)] = [
                ("APNs", apns.size, APNsPayloadTemplate.maximumBytes),
                ("FCM", fcm.size, FCMPayloadTemplate.maximumBytes),
                ("Web Push", webPush.size, WebPushPayloadTemplate.maximumBytes),
            ]
            let over = sizes.filter { $0.size > $0.limit }.map {
                "\($0.size) bytes for \($0.service), which accepts at most \($0.limit)"
            }
            guard !over.isEmpty else { return nil }
            return ValueError(
                code: "payloadTooLarge", message: "The notification has \(over.joined(separator: ", and "))."
            )
        } catch {
            return ValueError(code: "notEncodable", message: "The notification cannot be written as JSON (\(error)).")
        }
    }
}

extension PushVariant {
    /// The names of the parts that the variant has.
    fileprivate var parts: [String] {
        [String](said: [
            "title": title, "subtitle": subtitle, "body": body, "imageUrl": imageUrl, "action": action,
            "buttons": buttons,
        ])
    }
}
