import Foundation

/// Writes a call down as the vendor's client does at the moment of sending: tokens, state and order are those of now.
struct RequestWriting {
    let settings: V3Settings
    let store: V3Store
    let memory: V3Memory
    /// Epoch milliseconds.
    let order: Int64

    func request(for call: V3Call) -> V3Request {
        let path = path(of: call)
        let body = content(of: call, path).map { Array($0.printed(pretty: isIOS).utf8) }
        return V3Request(
            method: call.method, path: path, headers: headers(of: call, path, length: body?.count), body: body
        )
    }

    private var isIOS: Bool { settings.flavour == .ios }

    /// The vendor's services have a host each.
    private func host(of call: V3Call) -> String {
        guard settings.isOnVendorHost else { return settings.host }
        return switch call {
        case .events, .inline: "mobile-events.eservice.emarsys.net"
        case .inbox: "me-inbox.eservice.emarsys.net"
        default: "me-client.eservice.emarsys.net"
        }
    }

    private func path(of call: V3Call) -> String {
        let app = "/v3/apps/\(settings.app)"
        let joint = settings.usesUnderscores ? "_" : "-"
        return switch call {
        case .properties: "\(app)/client"
        case .contact: "\(app)/client/contact"
        case .anonymousContact: "\(app)/client/contact?anonymous=true"
        case .refresh: "\(app)/client/contact\(joint)token"
        case .putPushToken, .deletePushToken: "\(app)/client/push\(joint)token"
        case .events: "/\(settings.usesEventServiceV4 ? "v4" : "v3")/apps/\(settings.app)/client/events"
        case .geofences: "\(app)/geo-fences"
        case .inbox: "\(app)/inbox"
        case .products: "/merchants/M123?f=f:RELATED,l:5,o:0"
        case .deepLink: "/api/clicks"
        case .remoteConfigSignature: "/signature/\(settings.app)"
        case .inline: "/\(settings.usesEventServiceV4 ? "v4" : "v3")/apps/\(settings.app)/inline-messages"
        }
    }

    private func headers(of call: V3Call, _ path: String, length: Int?) -> [V3Field] {
        var headers = [
            V3Field("Host", host(of: call)), V3Field("Content-Type", "application/json"),
            V3Field("X-EMARSYS-SDK-VERSION", settings.sdkVersion ?? settings.flavour.sdkVersion),
            V3Field("X-EMARSYS-SDK-MODE", settings.mode),
        ]
        guard call.isOfMobileEngage else { return headers + end(length) }
        headers += [V3Field("X-Client-Id", store.clientID), V3Field("X-Request-Order", "\(order)")]
        if let state = store.clientState { headers.append(V3Field("X-Client-State", state)) }
        if let token = store.contactToken, !endsAsLink(path) { headers.append(V3Field("X-Contact-Token", token)) }
        // iOS looks at the path, Android at the end of the whole address: they differ at the anonymous contact.
        if let merchant = settings.merchantID, endsAsLink(isIOS ? String(path.prefix { $0 != "?" }) : path) {
            headers.append(V3Field("X-Merchant-Id", merchant))
        }
        if isIOS, call == .geofences || call == .inbox {
            let name = Data("\(settings.app):".utf8).base64EncodedString()
            headers.append(V3Field("Authorization", "Basic \(name)"))
        }
        return headers + end(length)
    }

    private func end(_ length: Int?) -> [V3Field] {
        let connection = V3Field("Connection", "keep-alive")
        return length.map { [connection, V3Field("Content-Length", "\($0)")] } ?? [connection]
    }

    /// The clients look at the end of the address, so the anonymous contact, which has a query, is none of these: it
    /// carries an old contact token along.
    private func endsAsLink(_ path: String) -> Bool {
        ["/client/contact", "/contact-token", "/contact_token"].contains { path.hasSuffix($0) }
    }

    private func content(of call: V3Call, _ path: String) -> JSON? {
        var members: [String: JSON] = [:]
        switch call {
        case .properties(let device): return device
        case .contact(let field, let value):
            members["contactFieldId"] = .integer(field)
            members["contactFieldValue"] = value.map(JSON.text)
        case .anonymousContact: break
        case .refresh: members["refreshToken"] = store.refreshToken.map(JSON.text)
        case .putPushToken(let token): return ["pushToken": .text(token)]
        case .deletePushToken: return isIOS ? JSON.object([:]) : nil
        case .events(let composite): return content(of: composite)
        case .deepLink(let id): return ["ems_dl": .text(id)]
        case .geofences, .inbox, .products, .remoteConfigSignature: return nil
        case .inline(let viewID, let clicks):
            members["viewIds"] = [.text(viewID)]
            members["clicks"] = .list(clicks)
            if settings.usesEventServiceV4 { members["deviceEventState"] = store.deviceEventState }
        }
        // iOS adds the OpenID token wherever the address has these words, so to a refresh as well.
        if isIOS ? path.contains("/client/contact") : path.hasSuffix("/client/contact") {
            members["openIdToken"] = memory.openIDToken.map(JSON.text)
        }
        return .object(members)
    }

    private func content(of composite: V3Call.Composite) -> JSON {
        var members: [String: JSON] = [
            "events": .list(composite.events), "viewedMessages": .list(composite.viewedMessages),
            "clicks": .list(composite.clicks),
        ]
        if composite.isInAppPaused { members["dnd"] = true }
        if settings.usesEventServiceV4 { members["deviceEventState"] = store.deviceEventState }
        if isIOS, settings.mergesEvents {
            members["language"] = store.deviceInfo?["language"]
            members["application_version"] = store.deviceInfo?["applicationVersion"]
            members["ems_sdk"] = .text(settings.flavour.sdkVersion)
        }
        return .object(members)
    }
}
