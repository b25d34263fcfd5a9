import BelfryModel
import BelfryServerModel
import BelfryServices

/// The form that sends a campaign to a device as a test. The test is sent once, even if the form is sent again (CON-5).
struct TestForm: Sendable {
    let call: ConsoleCall
    let campaign: CampaignID
    let app: AppService.App
    let device: String

    /// Sends the test, and returns its results.
    func send() async throws -> [TestLine] {
        let principal = try call.principal()
        guard let key = try call.formKey() else { return try await sendNow(principal) }
        switch try await begin(key, of: principal) {
        case .repeated(let answer): return [again(String(decoding: answer.body, as: UTF8.self))]
        case .unkept: return try await sendNow(principal)
        case .first(let ticket):
            let lines: [TestLine]
            do {
                lines = try await sendNow(principal)
            } catch {
                // The person sees the error and may press the button again.
                try? await call.services.idempotency.release(ticket)
                throw error
            }
            let words = lines.map(\.testSentence).joined(separator: " ")
            // The test has been sent, even if its result cannot be stored.
            try? await call.services.idempotency.keep(
                IdempotencyStore.StoredResponse(status: 200, body: Array(words.utf8)), for: ticket
            )
            return lines
        }
    }

    private func begin(_ key: FormKey, of principal: AdminPrincipal) async throws -> IdempotencyStore.Beginning {
        let draft = try await call.services.campaigns.queries.campaign(campaign, app: app).draft
        // A test to another device or of another version is a different test.
        let what = EditedState.text(["device": device, "version": try DraftVersion(draft).text])
        let name = key.name(of: "test:\(app.id):\(campaign):\(what)")
        do {
            return try await call.services.idempotency.begin(name, of: principal, request: [Array(name.utf8)])
        } catch ServiceError.conflict(code: "idempotencyKeyInUse", message: _) {
            throw ServiceError.conflict(
                message: "This test is being sent. Press again in a moment to see the result: it is sent only once."
            )
        } catch ServiceError.conflict(code: "idempotencyKeyUnanswered", message: _) {
            throw ServiceError.conflict(
                message: """
                    It is not known whether this test was sent. Check the device. To send it again, open this \
                    campaign again.
                    """
            )
        }
    }

    private func sendNow(_ principal: AdminPrincipal) async throws -> [TestLine] {
        let (action, target, zone) = ("campaign.test", campaign.description, AppZone(app.settings))
        let results = try await call.services.testSends.pass(principal) {
            try await call.services.access.announcing(action, by: principal, app: app.code, target: target) {
                try await call.services.campaigns.tests.test(campaign, devices: [device], app: app) { zone.text($0) }
            }
        }
        try await call.note(action, to: target)
        return results.map { TestLine(testedDevice: $0.device, testSentence: $0.sentence) }
    }

    private func again(_ sentence: String) -> TestLine {
        TestLine(
            testedDevice: device,
            testSentence:
                "\(sentence) This form was submitted twice, and the test was sent once. To send another, press again."
        )
    }
}
