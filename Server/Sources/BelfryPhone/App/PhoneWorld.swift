import Belfry
import Foundation

/// The environment that all phones share: the server, the push service, the disk and the clock.
package struct PhoneWorld: Sendable {
    let appCode: String
    let serverURL: URL
    /// The directory of all phones; each phone has its own folder in it.
    let directory: URL
    /// The network transport to the server.
    let transport: any Transport
    let pushService: any PhonePushService
    let environment: DeviceEnvironment

    package init(
        appCode: String, serverURL: URL, directory: URL, transport: any Transport,
        pushService: any PhonePushService, environment: DeviceEnvironment
    ) {
        self.appCode = appCode
        self.serverURL = serverURL
        self.directory = directory
        self.transport = transport
        self.pushService = pushService
        self.environment = environment
    }

    /// The folder of a phone: the files of its app, and the file of its system.
    func folder(ofPhone number: Int) -> URL {
        directory.appending(path: "phone-\(number)", directoryHint: .isDirectory)
    }
}
