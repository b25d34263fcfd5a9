import Belfry
import BelfryModel
import BelfryWire
import Foundation

/// Tells the server that the device has received a push: the event `push:received` with the id under which the app would
/// send it, too, so that it counts once (PUSH-8, LED-1). If it fails, the app sends it.
struct ReceptionReport: Sendable {
    /// The body of the upload.
    let body: Data
    let access: ExtensionBrief.Access
    let deviceID: String
    private let folder: SharedFolder
    private let now: Date

    /// - Returns: nil when there is nothing to report, or no way: the app was never opened, is between two contacts, or
    ///   the person does not allow that events are recorded.
    init?(_ note: PushNote, _ brief: ExtensionBrief?, _ folder: SharedFolder, _ environment: DeviceEnvironment) {
        guard let brief, brief.takesEvents, let access = brief.access, let event = try? note.event() else { return nil }
        body = Data(#"{"dnd":true,"events":["#.utf8) + event + Data("]}".utf8)
        self.access = access
        deviceID = brief.deviceID
        self.folder = folder
        now = environment.now()
    }

    /// Sends it, and once more with a renewed token if the server refuses the one that is known (ID-6).
    ///
    /// - Returns: whether the server has it.
    func send(by transport: any Transport) async -> Bool {
        let known = folder.renewedToken(for: access.refreshToken) ?? access.contactToken
        switch await status(of: upload(known), by: transport) {
        case 200..<300: return true
        case 401:
            guard let fresh = await renew(by: transport) else { return false }
            return 200..<300 ~= (await status(of: upload(fresh), by: transport))
        default: return false
        }
    }

    private func renew(by transport: any Transport) async -> String? {
        let asked = ContactTokenRequest(refreshToken: access.refreshToken)
        guard let body = try? JSONEncoder().encode(asked),
            let response = try? await transport.send(request("/client/contact-token", body, token: nil)),
            response.status == 200,
            let said = try? CheckedJSON.decode(
                ContactTokenResponse.self, from: response.body, maximumBytes: ReceivedPush.maximumBytes)
        else { return nil }
        folder.keep(RenewedToken(refreshToken: access.refreshToken, contactToken: said.contactToken))
        return said.contactToken
    }

    private func upload(_ token: String) -> TransportRequest {
        request("/client/events", body, token: token)
    }

    private func status(of request: TransportRequest, by transport: any Transport) async -> Int {
        (try? await transport.send(request))?.status ?? 0
    }

    private func request(_ call: String, _ body: Data, token: String?) -> TransportRequest {
        let time = String(Int64(now.timeIntervalSince1970 * 1_000))
        var headers = [
            "Accept": "application/json", "Content-Type": "application/json", HeaderNames.clientID: deviceID,
            HeaderNames.requestOrder: time, HeaderNames.clientTime: time,
        ]
        headers[HeaderNames.clientState] = access.clientState
        headers[HeaderNames.contactToken] = token
        return TransportRequest(method: "POST", path: access.path + call, headers: headers, body: body)
    }
}
