import BelfryModel
import BelfryServices
import BelfryWire

extension DeviceResponse {
    init(_ profile: DeviceProfile, maximumBadge: Int) {
        let device = profile.device
        self.init(
            deviceId: device.client.rawValue,
            contactKey: profile.contact?.key,
            push: EligibilityResponse(profile.pushEligibility),
            inApp: EligibilityResponse(profile.inAppEligibility),
            optOut: device.optOut.map { OptOutResponse(reason: $0.reason, at: Timestamp.text($0.at)) },
            // Shortened: a push token can be used to send (SEC-3).
            pushToken: device.pushToken?.description,
            pushProvider: device.pushToken?.provider,
            pushEnvironment: device.pushToken?.environment,
            pushTokenMovedAt: device.tokenMovedAt.map(Timestamp.text),
            pushEnabled: device.pushEnabled,
            osPushEnabled: device.osPushEnabled,
            revision: device.revision > 0 ? device.revision : nil,
            registration: profile.registration.map {
                Registration(
                    revision: $0.revision, status: $0.status, processedAt: Timestamp.text($0.processedAt),
                    rejected: $0.rejected
                )
            },
            system: device.system,
            badge: profile.badge.atMost(maximumBadge),
            lastOpenedAt: device.lastOpenedAt.map(Timestamp.text),
            createdAt: Timestamp.text(device.createdAt),
            updatedAt: Timestamp.text(device.updatedAt),
            v3Client: device.v3?.version, installation: String(device.id),
            otherInstallations: profile.namesakes.isEmpty ? nil : profile.namesakes.map(InstallationResponse.init)
        )
    }
}

extension CampaignResponse {
    init(_ report: CampaignReport) {
        self.init(
            campaign: report.campaign, counts: report.counts,
            messageCenterCounts: report.messageCenter.map {
                MessageCenterCounts(
                    displays: $0.displays, displayedBy: $0.displayedBy, opens: $0.opens, openedBy: $0.openedBy
                )
            },
            inAppCounts: report.inApp.map {
                InAppCounts(
                    downloaded: $0.downloaded, displays: $0.displays, displayedBy: $0.displayedBy, clicks: $0.clicks,
                    clickedBy: $0.clickedBy, dismissals: $0.dismissals, clicksByButton: $0.clicksByButton,
                    notShown: $0.notShown
                )
            }
        )
    }
}

extension ContactResponse {
    init(_ profile: ContactProfile) {
        self.init(
            contactKey: profile.contact.key,
            aliases: profile.aliases.isEmpty ? nil : profile.aliases,
            known: profile.contact.known,
            partyIdentifier: profile.contact.party,
            attributes: profile.contact.attributes,
            tags: profile.tags,
            devices: profile.devices.map(\.client.rawValue),
            deviceCount: profile.deviceCount,
            lastOpenedAt: profile.contact.lastOpenedAt.map(Timestamp.text),
            createdAt: Timestamp.text(profile.contact.createdAt),
            attributeSources: profile.sources.isEmpty
                ? nil
                : profile.sources.mapValues { source in
                    Source(setAt: source.at.map(Timestamp.text), devices: source.clients.map(\.rawValue))
                }
        )
    }
}

extension ContactListResponse.Entry {
    init(_ contact: ContactProfile.Contact) {
        self.init(
            contactKey: contact.key, known: contact.known, createdAt: Timestamp.text(contact.createdAt),
            lastOpenedAt: contact.lastOpenedAt.map(Timestamp.text)
        )
    }
}

extension DeviceMessagesResponse.Entry {
    init(_ message: DeviceMessage) {
        self.init(
            campaign: message.campaign.id.description, name: message.campaign.name,
            kind: message.campaign.kind, state: message.explanation.state, reason: message.explanation.reason,
            sentence: message.explanation.sentence, at: Timestamp.text(message.at)
        )
    }
}

extension ExplainResponse {
    init(_ explanation: Explanation) {
        self.init(
            state: explanation.state, reason: explanation.reason, sentence: explanation.sentence,
            history: Self.history(explanation), audience: Self.audience(explanation)
        )
    }

    init(_ explanation: ContactExplanation) {
        self.init(
            state: explanation.state, reason: explanation.reason, sentence: explanation.sentence, history: [],
            contactKey: explanation.contactKey,
            devices: explanation.devices.map {
                Device(
                    deviceId: $0.client.rawValue, isPresent: $0.isPresent, state: $0.explanation.state,
                    reason: $0.explanation.reason, sentence: $0.explanation.sentence,
                    history: Self.history($0.explanation), audience: Self.audience($0.explanation)
                )
            },
            deviceCount: explanation.deviceCount, omission: explanation.omission,
            messageCenter: explanation.center.map {
                Center(center: $0.name, state: $0.state, sentence: $0.sentence)
            }
        )
    }

    private static func audience(_ explanation: Explanation) -> [Part]? {
        guard !explanation.audience.isEmpty else { return nil }
        return explanation.audience.map { Part(condition: $0.condition, holds: $0.holds) }
    }

    private static func history(_ explanation: Explanation) -> [Step] {
        explanation.history.map { Step(at: Timestamp.text($0.at), what: $0.what, detail: $0.detail) }
    }
}
