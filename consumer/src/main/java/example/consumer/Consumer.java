package example.consumer;

import dev.stowage.device.Device;
import dev.stowage.llm.LanguageModel;
import java.nio.file.Path;

/** Runs a model with Stowage as published, and says on which devices and whether as a module. */
public final class Consumer {
    private Consumer() {}

    public static void main(String[] args) {
        System.out.println(Consumer.class.getModule().isNamed() ? "module path" : "class path");
        try (LanguageModel model = LanguageModel.open(Path.of(args[0]))) {
            System.out.println("devices " + model.devices().stream().map(Device::name).toList());
            model.generate(args[1], (token, text) -> System.out.print(text));
            System.out.println();
        }
    }
}
