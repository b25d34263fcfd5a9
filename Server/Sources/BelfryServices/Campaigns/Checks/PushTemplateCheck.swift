import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel

/// What the texts of a push and of its variants compile to, and whether that fits (CAMP-4, PUSH-1 to PUSH-3).
struct PushTemplateCheck {
    /// Without what is too many.
    let push: PushContent
    let extras: PushExtras
    let texts: TextCompiler

    func checkNotification(_ errors: inout FieldErrors) {
        // A size is worth telling when all else is well.
        var isMeasured = errors.isEmpty
        if let template = compile(variant: nil, &errors), isMeasured,
            let error = sizeError(of: template.shortest, style: .alert)
        {
            errors.refuse("push", error)
            // What is too large for the content comes again in all variants that do not say it themselves.
            isMeasured = false
        }
        // Each variant would have all of these pairs, and be too large by them.
        guard push.custom?.exceeds(bytes: APNsPayloadTemplate.maximumBytes) != true else { return }
        for key in (push.variants ?? [:]).keys.sorted() {
            guard let template = compile(variant: key, &errors), isMeasured,
                let error = sizeError(of: template.shortest, style: .alert)
            else { continue }
            errors.refuse("push.variants.\(key)", error)
        }
    }

    /// A silent push, of which nothing is compiled unless all else is well. There is to be room for what it may take along
    /// (PUSH-7).
    func checkSilent(_ errors: inout FieldErrors) {
        guard errors.isEmpty, let template = compile(variant: nil, &errors),
            let error = sizeError(
                of: template.shortest, style: .silent, extras: PushExtras(SilentPushReasons.sayable.saidAlong))
        else { return }
        errors.refuse("push", error)
    }

    /// The compiled content; nil when it does not compile, and then that is told.
    private func compile(variant key: String?, _ errors: inout FieldErrors) -> ContentTemplate? {
        do throws(TemplateErrors) {
            return try ContentTemplate(push.variant(key), texts: texts)
        } catch {
            guard let key, let variant = push.variants?[key] else {
                errors.refuse(error) { "push.\($0)" }
                return nil
            }
            let own = variant.parts
            errors.refuse(error) { field in
                // What it has from the content, the content's own errors tell; `buttons[0].text` is of the `buttons`.
                let part = String(field.prefix { $0 != "." && $0 != "[" })
                return own.contains(part) ? "push.variants.\(key).\(field)" : nil
            }
            return nil
        }
    }

    /// What would be too large for everybody is refused now; what is too large for one recipient, the ledger tells.
    ///
    /// - Parameter extras: nil for the campaign's own.
    private func sizeError(of content: PushContent, style: PushStyle, extras: PushExtras? = nil) -> ValueError? {
        let extras = extras ?? self.extras
        // The longest number a campaign can have, so that what fits now fits then.
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
    /// The names of what it says.
    fileprivate var parts: [String] {
        [String](said: [
            "title": title, "subtitle": subtitle, "body": body, "imageUrl": imageUrl, "action": action,
            "buttons": buttons,
        ])
    }
}
