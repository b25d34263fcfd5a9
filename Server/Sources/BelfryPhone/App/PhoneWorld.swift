import Belfry
import Foundation

/// What is around the phones: the app's server, the push service, the disk.
package struct PhoneWorld: Sendable {
    let appCode: String
    let serverURL: URL
    /// Each phone keeps its files in a folder of its own.
    let directory: URL
    /// The network.
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

    /// The files of a phone's app, and what its system keeps beside them.
    func folder(ofPhone number: Int) -> URL {
        directory.appending(path: "phone-\(number)", directoryHint: .isDirectory)
    }
}
