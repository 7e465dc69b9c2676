/** Uses Stowage on the module path; without this file, on the class path. */
module example.consumer {
    requires dev.stowage.llm;
}
