import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Builds the requests of the device API, with the headers that each of them has (WIRE-1 to WIRE-7, WIRE-20).
struct DeviceRequests {
    let configuration: BelfryConfiguration
    let deviceID: DeviceID
    let sync: SyncState
    let order: Int64
    /// The device's real clock; the request order differs from it after the clock was set back (EVT-9).
    let now: Date

    func properties(_ record: ContactRecord) throws(BelfryError) -> TransportRequest {
        let system = record.system
        let status = record.osPushEnabled.map { $0 ? "authorized" : "denied" } ?? "notDetermined"
        let properties = ClientProperties(
            platform: system.platform,
            applicationVersion: system.appVersion,
            deviceModel: system.deviceModel,
            osVersion: system.osVersion,
            sdkVersion: system.sdkVersion,
            language: system.locale,
            timezone: system.timeZone,
            pushSettings: ClientProperties.PushSettings(
                authorizationStatus: status,
                areNotificationsEnabled: record.osPushEnabled
            )
        )
        return try request("POST", "/client", properties)
    }

    func link(_ link: PendingLink) throws(BelfryError) -> TransportRequest {
        switch link.target {
        case .anonymous:
            if let nonce = link.nonce {
                return try request("POST", "/client/contact", ContactLinkRequest(nonce: nonce))
            }
            let fresh = sync.link.needsFreshContact(link) ? "&fresh=true" : ""
            return request("POST", "/client/contact?anonymous=true\(fresh)", body: nil)
        case .known(let key, let field):
            let body = ContactLinkRequest(
                contactFieldId: field.map { ContactLinkRequest.FieldID($0) },
                contactFieldValue: key
            )
            return try request("POST", "/client/contact", body, carriesToken: false)
        case .party(let party):
            let body = ContactLinkRequest(partyIdentifier: party)
            return try request("POST", "/client/contact", body, carriesToken: false)
        case .openID:
            // Without its proof, the server rejects the link, and the device links an anonymous contact instead.
            let body = ContactLinkRequest(openIdToken: link.proof?.token ?? "")
            return try request("POST", "/client/contact", body, carriesToken: false)
        }
    }

    func refresh(_ refreshToken: String) throws(BelfryError) -> TransportRequest {
        let body = ContactTokenRequest(refreshToken: refreshToken)
        return try request("POST", "/client/contact-token", body, carriesToken: false)
    }

    func putPushToken(_ token: PushToken) throws(BelfryError) -> TransportRequest {
        let body = PushTokenRequest(
            pushToken: token.value,
            provider: token.provider,
            environment: token.environment
        )
        return try request("PUT", "/client/push-token", body)
    }

    func deletePushToken() -> TransportRequest {
        request("DELETE", "/client/push-token", body: nil)
    }

    func registration(
        _ record: ContactRecord,
        registrationID: UUID,
        revision: Int64
    ) throws(BelfryError) -> TransportRequest {
        let snapshot = RegistrationSnapshot(
            record: record,
            deviceID: deviceID,
            registrationID: registrationID.uuidString,
            revision: revision
        )
        return try request("POST", "/client/registration", snapshot)
    }

    func events(_ batch: EventBatch) -> TransportRequest {
        request("POST", "/client/events", body: batch.body)
    }

    func request(
        _ method: String,
        _ path: String,
        _ body: some Encodable,
        carriesToken: Bool = true
    ) throws(BelfryError) -> TransportRequest {
        let data: Data
        do {
            data = try JSONEncoder().encode(body)
        } catch {
            throw BelfryError.storage(error)
        }
        return request(method, path, body: data, carriesToken: carriesToken)
    }

    func request(
        _ method: String,
        _ path: String,
        body: Data?,
        carriesToken: Bool = true,
        also more: [String: String] = [:]
    ) -> TransportRequest {
        var headers = [
            "Accept": "application/json",
            HeaderNames.clientID: deviceID.rawValue,
            HeaderNames.requestOrder: String(order),
            HeaderNames.clientTime: String(now.milliseconds),
        ]
        headers.merge(more) { $1 }
        if body != nil { headers["Content-Type"] = "application/json" }
        headers[HeaderNames.clientState] = sync.clientState
        if carriesToken { headers[HeaderNames.contactToken] = sync.link.tokens?.contactToken }
        return TransportRequest(method: method, path: configuration.path(path), headers: headers, body: body)
    }
}

/// Message centers, rich content and the badge (WIRE-10 to WIRE-12, WIRE-15).
extension DeviceRequests {
    /// A fetch of all centers, with the badge.
    func centers() -> TransportRequest {
        request("GET", "/client/message-centers", body: nil)
    }

    func center(_ name: String) -> TransportRequest {
        request("GET", "/client/message-centers/\(WireURL.encoded(name))/messages", body: nil)
    }

    /// - Parameter key: the same for every repetition, so that the content can be requested again after a lost
    ///   response.
    func richContent(of id: String, key: String) -> TransportRequest {
        request(
            "GET", "/client/messages/\(WireURL.encoded(id))/rich-content", body: nil,
            also: [HeaderNames.idempotencyKey: key]
        )
    }

    /// Confirms that rich content is stored, or withdraws the confirmation.
    func richContent(_ report: RichContentReport) -> TransportRequest {
        request(
            report.isStored ? "PUT" : "DELETE",
            "/client/messages/\(WireURL.encoded(report.id))/rich-content/confirmation", body: nil
        )
    }

    /// - Parameter id: the id of the message, or of its push.
    func message(_ id: String) -> TransportRequest {
        request("GET", "/client/messages/\(WireURL.encoded(id))", body: nil)
    }

    func messageState(_ pending: PendingMessageState, reference: String?) throws(BelfryError) -> TransportRequest {
        let body = MessageStateRequest(state: pending.state, contact: reference)
        return try request("PUT", "/client/messages/\(WireURL.encoded(pending.id))/state", body)
    }

    func badge() -> TransportRequest {
        request("GET", "/client/badge", body: nil)
    }

    func putBadge(_ count: Int, revision: Int64) throws(BelfryError) -> TransportRequest {
        try request("PUT", "/client/badge", BadgeRequest(count: count, revision: revision))
    }
}

/// The sync of in-app messages (WIRE-9).
extension DeviceRequests {
    /// - Parameter cursor: from the last response; nil requests everything.
    func inAppMessages(since cursor: String?) -> TransportRequest {
        let query = cursor.map { "?since=\(WireURL.encoded($0))" } ?? ""
        return request("GET", "/client/in-app-messages\(query)", body: nil)
    }
}
