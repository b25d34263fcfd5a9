import Belfry
import BelfryModel
import Foundation

/// The SDK for apps in Objective-C: completion handlers over `BelfryClient`.
///
/// ```objc
/// self.client = [[BLFClient alloc] initWithAppCode:@"shop" serverURL:url directory:directory error:&error];
/// [self.client startWithCompletion:^(NSError *error) { … }];
/// ```
///
/// Each handler is called once, on the main queue, in any order. An error of the message center or the badge has the
/// domain `Belfry.MessageCenter` and the numbers of `MessageCenterError`; any other has the domain ``errorDomain``.
#if canImport(ObjectiveC)
    @objc(BLFClient)
    @objcMembers
#endif
public final class BLFClient: NSObject, Sendable {
    /// The domain of errors that are not about the message center or the badge. Their text says what happened.
    public static let errorDomain = "Belfry"

    /// The handler of a call without a result; the error is nil when it succeeded.
    public typealias Completion = @Sendable (NSError?) -> Void

    /// The client itself, for code in Swift.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public let client: BelfryClient

    /// Wraps a client that code in Swift has made.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public init(_ client: BelfryClient) {
        self.client = client
        super.init()
    }

    /// Starts the client; it does nothing when it is already running.
    public func start(completion: Completion? = nil) {
        perform(completion) { client in try await client.start() }
    }

    /// Stops the client and releases its directory.
    public func stop(completion: Completion? = nil) {
        perform(completion) { client in await client.stop() }
    }

    /// Runs a call off the calling thread, and its handler on the main queue.
    func perform(_ completion: Completion?, _ call: @escaping @Sendable (BelfryClient) async throws -> Void) {
        deliver({ _, error in completion?(error) }, call)
    }

    /// The same for a call with a result; the result is nil when there is an error.
    func deliver<Output: Sendable>(
        _ completion: @escaping @Sendable (Output?, NSError?) -> Void,
        _ call: @escaping @Sendable (BelfryClient) async throws -> Output
    ) {
        Task { [client] in
            let outcome: Result<Output, any Error>
            do {
                outcome = .success(try await call(client))
            } catch {
                outcome = .failure(error)
            }
            await MainActor.run {
                switch outcome {
                case .success(let output): completion(output, nil)
                case .failure(let error): completion(nil, Self.error(error))
                }
            }
        }
    }

    private static func error(_ error: any Error) -> NSError {
        if let error = error as? MessageCenterError {
            return NSError(domain: MessageCenterError.domain, code: error.numericCode, userInfo: error.errorUserInfo)
        }
        return NSError(domain: errorDomain, code: 1, userInfo: [NSLocalizedDescriptionKey: "\(error)"])
    }
}

// MARK: - Contact, events and pushes

#if canImport(ObjectiveC)
    @objc
#endif
extension BLFClient {
    /// Links the device to a known contact.
    public func identify(contactKey: String, completion: Completion? = nil) {
        perform(completion) { client in
            if let error = try await client.identify(contactKey: contactKey).error { throw error }
        }
    }

    /// Removes the person from the device.
    public func logout(completion: Completion? = nil) {
        perform(completion) { client in try await client.logout() }
    }

    /// Records an event.
    ///
    /// - Parameter attributes: texts, numbers, booleans and dates; any other value is an error, and nothing is recorded.
    public func track(_ name: String, attributes: [String: Any] = [:], completion: Completion? = nil) {
        let values = Result { try Self.values(attributes) }
        perform(completion) { client in try await client.track(name, attributes: values.get()) }
    }

    /// A push has arrived (`application:didReceiveRemoteNotification:fetchCompletionHandler:`).
    public func handlePush(_ push: BLFPush, completion: Completion? = nil) {
        perform(completion) { client in try await client.handlePush(push.push) }
    }

    /// The push was shown to the person.
    public func pushDisplayed(_ push: BLFPush, completion: Completion? = nil) {
        perform(completion) { client in try await client.pushDisplayed(push.push) }
    }

    /// The person opened the push, or pressed one of its buttons.
    public func pushOpened(_ push: BLFPush, button: String?, completion: Completion? = nil) {
        perform(completion) { client in try await client.pushOpened(push.push, button: button) }
    }

    /// The person dismissed the push.
    public func pushDismissed(_ push: BLFPush, completion: Completion? = nil) {
        perform(completion) { client in try await client.pushDismissed(push.push) }
    }

    /// Sets the push token of `application:didRegisterForRemoteNotificationsWithDeviceToken:`.
    ///
    /// - Parameter isSandbox: whether the build belongs to Apple's sandbox.
    public func setPushToken(_ deviceToken: Data, isSandbox: Bool, completion: Completion? = nil) {
        perform(completion) { client in
            let environment: PushEnvironment = isSandbox ? .sandbox : .production
            if let error = try await client.setPushToken(deviceToken, environment: environment).error {
                throw error
            }
        }
    }

    private static func values(_ attributes: [String: Any]) throws -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for (name, value) in attributes {
            switch value {
            case let text as String: values[name] = .string(text)
            case let date as Date: values[name] = .date(date)
            case let number as NSNumber: values[name] = Self.value(number)
            case let flag as Bool: values[name] = .boolean(flag)
            case let number as Int: values[name] = .number(Double(number))
            case let number as Double: values[name] = .number(number)
            default:
                throw ValueError(
                    code: "invalidEvent",
                    message: "The attribute '\(name)' must be a text, a number, a boolean or a date."
                )
            }
        }
        return values
    }

    /// A boolean of Objective-C is a number, too; only its type tells the two apart.
    private static func value(_ number: NSNumber) -> AttributeValue {
        String(cString: number.objCType) == "c" ? .boolean(number.boolValue) : .number(number.doubleValue)
    }
}
