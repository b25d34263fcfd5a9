/// A key of the configuration file of Salesforce MobilePush, with its equivalent here, for the error about an unknown
/// key (REG-13).
enum VendorKey: String, CaseIterable {
    case appID = "appid"
    case applicationID = "applicationid"
    case accessToken = "accesstoken"
    case server = "marketingcloudserverurl"
    case businessUnit = "mid"
    case inbox = "inboxenabled"
    case location = "locationenabled"
    case analytics = "analyticsenabled"
    case badging = "applicationcontrolsbadging"
    case markRead = "markmessagereadoninboxnotificationopen"

    /// - Parameter spelling: the key in any case.
    init?(spelling: String) {
        guard spelling.utf8.count <= 64 else { return nil }
        self.init(rawValue: spelling.lowercased())
    }

    var advice: String {
        switch self {
        case .appID, .applicationID: "Belfry's key is 'appCode': the code of the app on the server."
        case .accessToken: "Belfry has no access token: leave it out. 'appCode' names the app."
        case .server: "Belfry's key is 'serverURL'."
        case .businessUnit: "Belfry has no business units: leave it out."
        case .inbox: "Leave it out, and call setMessageCenterEnabled(true)."
        case .location: "Belfry asks for no location: leave it out."
        case .analytics: "Leave it out, and call setTrackingEnabled(_:)."
        case .badging: "Belfry's key is 'badges', with the opposite value."
        case .markRead: "Leave it out, and call markRead(_:)."
        }
    }
}
